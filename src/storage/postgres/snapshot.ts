/** A PostgreSQL snapshot, which `pg_current_snapshot()` writes as `xmin:xmax:xip_list`. */
interface Snapshot {
  /** All transactions below this have ended. */
  readonly xmin: bigint;
  /** No transaction from here on has ended. */
  readonly xmax: bigint;
  /** Transactions in between that are under way. */
  readonly underWay: ReadonlySet<bigint>;
}

/** Snapshots further apart than this count as different without comparing each transaction. */
const NUMBERS_MAX = 1_000n;

function readSnapshot(text: string): Snapshot {
  const [xmin = '', xmax = '', list = ''] = text.split(':');
  const underWay = new Set(list === '' ? [] : list.split(',').map(BigInt));
  return { xmin: BigInt(xmin), xmax: BigInt(xmax), underWay };
}

const hasEnded = ({ xmax, underWay }: Snapshot, xid: bigint) => xid < xmax && !underWay.has(xid);

/** Returns true when at most this transaction has ended between two snapshots of a server. */
export function differBy(earlier: string, later: string, xid: bigint): boolean {
  const [before, now] = [readSnapshot(earlier), readSnapshot(later)];
  if (now.xmax - before.xmin > NUMBERS_MAX) return false;
  for (let each = before.xmin; each < now.xmax; each++) {
    if (each !== xid && hasEnded(now, each) !== hasEnded(before, each)) return false;
  }
  return true;
}
