import type { TaskRecord, TaskStorage } from '../../src/domain/task.ts';

/** The tasks of one process that shares its database with no other. The conformance suite has the real ones. */
export function createTaskMemory(): TaskStorage {
  const records = new Map<string, TaskRecord>();
  const change = (name: string, turn: bigint, fields: Partial<TaskRecord>) => {
    const known = records.get(name);
    if (known?.turn !== turn) return undefined;
    const changed = { ...known, ...fields };
    records.set(name, changed);
    return changed;
  };
  return {
    list: async () => [...records.values()],
    async take(name, holder, seen, now) {
      const known = records.get(name);
      if (known?.turn !== seen?.turn || known?.heartbeat !== seen?.heartbeat) return undefined;
      const empty = { endedAt: null, succeededAt: null, failures: 0, problem: null, dueAt: null };
      const turn = (known?.turn ?? 0n) + 1n;
      const taken = { ...(known ?? empty), name, turn, heartbeat: 1n, holder, startedAt: now };
      records.set(name, taken);
      return taken;
    },
    beat: async (name, turn) => change(name, turn, {}) !== undefined,
    async end(name, turn, end) {
      if (end === undefined) return change(name, turn, { heartbeat: 0n });
      const { at, problem = null } = end;
      const failures = problem === null ? 0 : (records.get(name)?.failures ?? 0) + 1;
      const success = problem === null && { succeededAt: at };
      const ended = { heartbeat: 0n, endedAt: at, problem, failures, dueAt: null };
      return change(name, turn, { ...ended, ...success });
    },
    async plan(name, dueAt) {
      const known = records.get(name);
      if (known !== undefined) records.set(name, { ...known, dueAt });
    },
    async forget(name) {
      records.delete(name);
    },
  };
}
