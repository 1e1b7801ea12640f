import { type ChangedFields, changedFields } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import type { Query, Statement, Work } from '../statements.ts';
import { noteAudit } from './notes.ts';

/** Records with settings, whose changes the audit shows. */
interface AuditedRecords<Row, Settings> {
  readonly kind: 'webhook' | 'channel';
  /** Finds one by its id, and locks it. */
  readonly findToChange: Query<Row>;
  readonly removal: Statement;
  update(before: Row, next: Settings): Work<Row>;
  /** What the audit shows of one. */
  shown(record: Row): object;
  /** More that it shows of a change. */
  more?(before: Row, after: Row): ChangedFields;
  /** Notes more of a change. */
  noteMore?(before: Row, after: Row, stamp: ChangeStamp): Work<void>;
}

/** What is done to such records, each with its line in the audit. */
export function auditedRecords<Row extends { readonly id: bigint }, Settings>(
  records: AuditedRecords<Row, Settings>,
) {
  const { kind, findToChange, removal, shown } = records;

  function* note(
    stamp: ChangeStamp | undefined,
    verb: 'created' | 'updated' | 'deleted',
    before: Row | undefined,
    after: Row | undefined,
  ): Work<void> {
    const id = after?.id ?? before?.id;
    if (stamp === undefined || id === undefined) return;
    const more = before && after && records.more?.(before, after);
    const changed = { ...changedFields(before && shown(before), after && shown(after)), ...more };
    if (Object.keys(changed).length > 0)
      yield* noteAudit(`${kind}.${verb}`, { id }, changed, stamp);
    if (before && after) yield* records.noteMore?.(before, after, stamp) ?? [];
  }

  return {
    *create(make: () => Work<Row>, stamp: ChangeStamp | undefined): Work<Row> {
      const created = yield* make();
      yield* note(stamp, 'created', undefined, created);
      return created;
    },
    *update(
      id: bigint,
      change: (current: Row) => Settings,
      stamp?: ChangeStamp,
    ): Work<Row | undefined> {
      const before = yield* findToChange.one(id);
      const updated = before && (yield* records.update(before, change(before)));
      yield* note(stamp, 'updated', before, updated);
      return updated;
    },
    *remove(id: bigint, check: (current: Row) => void, stamp?: ChangeStamp): Work<boolean> {
      const before = yield* findToChange.one(id);
      if (before === undefined) return false;
      check(before);
      yield* note(stamp, 'deleted', before, undefined);
      return (yield* removal.changes(id)) > 0;
    },
  };
}
