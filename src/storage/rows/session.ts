import type { SessionWithKey } from '../../domain/session.ts';
import { KEY_COLUMNS, type KeyRow, keyOf } from './key.ts';

/** A session with its key as a row. */
export interface SessionRow extends KeyRow {
  readonly session_created_at: bigint;
  readonly session_last_used_at: bigint;
}

/** Reads a session by the hash that `parameter` stands for. */
export const sessionByHash = (parameter: string) => `
  SELECT api_keys.*, sessions.created_at AS session_created_at,
    sessions.last_used_at AS session_last_used_at
  FROM sessions JOIN (SELECT ${KEY_COLUMNS} FROM api_keys) AS api_keys ON api_keys.id = key_id
  WHERE sessions.hash = ${parameter}`;

/** The session in a row, with its key. */
export function sessionOf(row: SessionRow): SessionWithKey {
  return {
    session: {
      createdAt: Number(row.session_created_at),
      lastUsedAt: Number(row.session_last_used_at),
    },
    key: keyOf(row),
  };
}
