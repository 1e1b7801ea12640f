import type { Cell, Row } from '../tables.ts';

/** A digest of the rows of a table in order: equal only for equal cells. */
export interface Digest {
  add(rows: readonly Row[]): void;
  rows(): number;
  /** SHA-256 in hexadecimal; nothing may be added afterwards. */
  end(): string;
}

export function createDigest(): Digest {
  const hash = new Bun.CryptoHasher('sha256');
  let count = 0;
  return {
    add(rows) {
      hash.update(rows.map((row) => row.map(written).join('')).join(''));
      count += rows.length;
    },
    rows: () => count,
    end: () => hash.digest('hex'),
  };
}

/** Encodes a cell so that different lists of cells never have the same text. */
function written(cell: Cell): string {
  if (cell === null) return 'n';
  return typeof cell === 'bigint' ? `${cell};` : `t${cell.length}:${cell}`;
}
