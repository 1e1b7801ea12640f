/** A snapshot of PostgreSQL, as `pg_current_snapshot()` writes it: `xmin:xmax:xip_list`. */
interface Snapshot {
  /** All transactions below have ended. */
  readonly xmin: bigint;
  /** None has ended from here on. */
  readonly xmax: bigint;
  /** Those between the two that are under way. */
  readonly underWay: ReadonlySet<bigint>;
}

/** Further apart than this, two snapshots are taken for different without looking at each number. */
const NUMBERS_MAX = 1_000n;

function readSnapshot(text: string): Snapshot {
  const [xmin = '', xmax = '', list = ''] = text.split(':');
  const underWay = new Set(list === '' ? [] : list.split(',').map(BigInt));
  return { xmin: BigInt(xmin), xmax: BigInt(xmax), underWay };
}

const hasEnded = ({ xmax, underWay }: Snapshot, xid: bigint) => xid < xmax && !underWay.has(xid);

/** Whether no transaction but this one has ended between two snapshots of a server. */
export function differBy(earlier: string, later: string, xid: bigint): boolean {
  const [before, now] = [readSnapshot(earlier), readSnapshot(later)];
  if (now.xmax - before.xmin > NUMBERS_MAX) return false;
  for (let each = before.xmin; each < now.xmax; each++) {
    if (each !== xid && hasEnded(now, each) !== hasEnded(before, each)) return false;
  }
  return true;
}
