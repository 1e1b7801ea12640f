import { CommitInDoubt, type PortableDatabase } from '../../src/storage/portable-database.ts';
import type { Twist } from './moving.ts';

/** Where a move is cut short. */
export interface Fault {
  readonly side: 'source' | 'target';
  readonly method: keyof PortableDatabase &
    ('page' | 'insert' | 'setLastId' | 'fence' | 'liftFence' | 'commit');
  /** Which of its calls, from 1 on. */
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** What the databases are afterwards. */
export type Aftermath =
  /** The source is in service, the target empty. */
  | 'untouched'
  /** The source is in service, the target refused; what is in it must be removed. */
  | 'left over'
  /** Both are refused, and the same move again finishes it. */
  | 'to be finished';

function fault(
  side: Fault['side'],
  method: Fault['method'],
  call: number,
  when: Fault['when'],
): Fault {
  return { side, method, call, when };
}

/** What a move comes to that is killed there, from its first statement to its last. */
export const FAULTS: readonly (readonly [Fault, Aftermath])[] = [
  [fault('source', 'page', 1, 'before'), 'untouched'],
  [fault('target', 'insert', 2, 'after'), 'untouched'],
  [fault('target', 'setLastId', 4, 'after'), 'untouched'],
  [fault('target', 'page', 7, 'after'), 'untouched'],
  [fault('target', 'fence', 1, 'after'), 'untouched'],
  [fault('target', 'commit', 1, 'before'), 'untouched'],
  [fault('target', 'commit', 1, 'after'), 'left over'],
  [fault('source', 'fence', 1, 'before'), 'left over'],
  [fault('source', 'fence', 1, 'after'), 'left over'],
  [fault('source', 'commit', 1, 'before'), 'left over'],
  [fault('source', 'commit', 1, 'after'), 'to be finished'],
  [fault('target', 'liftFence', 1, 'before'), 'to be finished'],
  [fault('target', 'liftFence', 1, 'after'), 'to be finished'],
  [fault('target', 'commit', 2, 'before'), 'to be finished'],
];

/** Has something happen to one side of a move. */
export function striking({ side, method, call, when }: Fault, strike: () => void) {
  let calls = 0;
  const twist: Twist = (database) => ({
    ...database,
    [method]: async (...given: unknown[]) => {
      const isIt = ++calls === call;
      if (isIt && when === 'before') strike();
      // The arguments are passed on as they came.
      const result = await (database[method] as (...args: unknown[]) => unknown)(...given);
      if (isIt && when === 'after') strike();
      return result;
    },
  });
  return { [side]: twist } as { readonly source?: Twist; readonly target?: Twist };
}

/** What is thrown where a database fails there: of a commit, nobody knows what became of it. */
export function failureAt({ method, when }: Fault): Error {
  const inDoubt = method === 'commit' && when === 'after';
  return inDoubt ? new CommitInDoubt('the connection was lost') : new Error('the disk is gone.');
}
