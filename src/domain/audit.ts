import type { ChangeType } from './change-log.ts';
import type { ChangeStamp } from './change-stamp.ts';
import { DAY_MS } from './clock.ts';
import type { Page, PageRequest } from './page.ts';
import type { Pet } from './pet.ts';

/** The changes that only the audit shows: subject and verb. All others are events. */
export const AUDIT_TYPES = [
  'key.created',
  'key.updated',
  'key.rotated',
  'key.unbanned',
  'key.revoked',
  'person.created',
  'person.updated',
  'person.invited',
  'person.removed',
  'webhook.created',
  'webhook.updated',
  'webhook.rotated',
  'webhook.deleted',
  'channel.created',
  'channel.updated',
  'channel.deleted',
  'import.ended',
  'stay.updated',
] as const;
export type AuditType = (typeof AUDIT_TYPES)[number];

/** What a change that only the audit shows is about. */
export interface AuditSubject {
  readonly id: bigint;
  /** The animal that it concerns, if any: the change is in its history too. */
  readonly petId?: bigint | undefined;
}

/** A value in the audit. */
export type AuditValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly AuditValue[]
  | { readonly [name: string]: AuditValue };

/**
 * The fields that a change changed: each with its value before and after, `null` where there was none, or
 * `true` for a personal field.
 */
export type ChangedFields = Readonly<
  Record<string, true | readonly [before: AuditValue, after: AuditValue]>
>;

/**
 * Returns the fields that differ between two states of a record; undefined means that there is no record.
 * Never pass a secret or a hash. Values of the fields in `personal` are left out.
 */
export function changedFields(
  before: object | undefined,
  after: object | undefined,
  personal: readonly string[] = [],
): ChangedFields {
  const old: Readonly<Record<string, AuditValue>> = Object(before);
  const next: Readonly<Record<string, AuditValue>> = Object(after);
  const changed: Record<string, ChangedFields[string]> = {};
  for (const name of Object.keys({ ...old, ...next })) {
    const pair = [old[name] ?? null, next[name] ?? null] as const;
    // Most fields do not change.
    if (pair[0] === pair[1] || changedText(pair[0]) === changedText(pair[1])) continue;
    changed[name] = personal.includes(name) ? true : pair;
  }
  return changed;
}

/** Writes changed fields, or one of their values, as JSON with exact integers. */
export function changedText(changed: ChangedFields | AuditValue): string {
  return JSON.stringify(changed, (_, value) =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
  );
}

/** Returns what the change of an animal changed, as JSON. */
export function changedPetText(before: Pet, { name, categoryId, status }: Pet): string {
  const { id: _, ...old } = before;
  return changedText(changedFields(old, { name, categoryId, status }));
}

/** Reads changed fields, as `changedText` wrote them. */
export function parseChanged(text: string): ChangedFields {
  return JSON.parse(text, (_, value: unknown, context?: { readonly source: string }) =>
    Number.isInteger(value) ? BigInt(context?.source ?? '') : value,
  );
}

/** One change, as the audit and the history of an animal show it. */
export interface AuditLine {
  /** The position of the change in the log. */
  readonly id: bigint;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly type: ChangeType | AuditType;
  /** Null for a command, and for the service itself. */
  readonly actor: { readonly keyId: bigint; readonly name: string | null } | null;
  readonly subject: {
    /** What the change is about: `pet`, `photo`, `order`, `key` and so on. */
    readonly type: string;
    /** Undefined for a singleton, such as the shop. */
    readonly id?: bigint | undefined;
    /** The animal that it concerns, if it is not the subject. */
    readonly petId?: bigint | undefined;
    /** The name of the subject, or else of the animal; undefined if unknown. */
    readonly name?: string | undefined;
  };
  /** Undefined for a change from before the audit began. */
  readonly changes: ChangedFields | undefined;
}

/** A filter of the audit. All conditions that are present must hold. */
export interface AuditFilter {
  /** The key that made the change. */
  readonly actor?: bigint | undefined;
  readonly type?: ChangeType | AuditType | undefined;
  readonly petId?: bigint | undefined;
  /** Changes made by an import. Without this or `petId`, an import is one line. */
  readonly importId?: bigint | undefined;
  /** Not before this time, in milliseconds since the Unix epoch. */
  readonly from?: number | undefined;
  /** Before this time. */
  readonly to?: number | undefined;
}

/** The storage contract of the audit: a reader of the change log. */
export interface AuditStorage {
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditLine>>;
  /** Lists the changes of an animal, oldest first; undefined for an unknown animal. */
  history(petId: bigint, page: PageRequest): Promise<Page<AuditLine> | undefined>;
}

/** Removed animals can be brought back for this long. */
export const RESTORABLE_MS = 30 * DAY_MS;

/** The storage contract of removed animals. */
export interface RemovedPetStorage {
  /**
   * Brings back an animal with its profile and photos. Returns undefined if none was removed under this id
   * within `RESTORABLE_MS`. Throws `conflict` if it is there.
   */
  restore(petId: bigint, stamp: ChangeStamp): Promise<Pet | undefined>;
  /** Forgets animals removed at or before `time`, at most `most`. Returns the number forgotten. */
  removeExpired(time: number, most: number): Promise<number>;
}
