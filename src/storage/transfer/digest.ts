import type { Cell, Row } from '../tables.ts';

/** What stands for the rows of a table in their order: the same for the same cells alone. */
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

/** A cell so that no two lists of cells are written alike. */
function written(cell: Cell): string {
  if (cell === null) return 'n';
  return typeof cell === 'bigint' ? `${cell};` : `t${cell.length}:${cell}`;
}
