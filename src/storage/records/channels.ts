import {
  CHANNELS_MAX,
  type Channel,
  type ChannelDisabledReason,
  type ChannelKind,
  type ChannelPhotos,
  type ChannelSettings,
  type ChannelStorage,
  LEFT_OUT_REASONS,
  type LeftOut,
  type NewChannel,
  SENDINGS_KEPT,
  type Sending,
  type SendingEnd,
  type SendingOutcome,
  tooManyChannels,
} from '../../domain/channel.ts';
import { fieldsOf, json, number, numberOrNull, plain, valuesOf } from '../fields.ts';
import { listed } from '../lists.ts';
import {
  all,
  assignments,
  forUpdate,
  one,
  only,
  onPostgres,
  query,
  run,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { auditedRecords } from './audited.ts';
import type { NoteAudit } from './change.ts';

const CHANNEL = fieldsOf({
  id: plain<bigint>(),
  kind: plain<ChannelKind & string>(),
  address: plain<string>(),
  accountId: plain<string | null>(),
  photosAs: plain<ChannelPhotos & string>(),
  secret: plain<string | null>(),
  hostKey: plain<string | null>(),
  everyMs: number,
  disabledReason: plain<ChannelDisabledReason | null>(),
  nextAt: number,
  createdAt: number,
  sentRows: numberOrNull,
  sentAt: numberOrNull,
  failures: number,
  problem: plain<string | null>(),
  toldAt: numberOrNull,
});

/** Ids are texts in JSON, so that they stay exact. */
function leftOutIn(cell: string): LeftOut[] {
  return json<[string, number][]>(cell).map(([petId, reason]) => ({
    petId: BigInt(petId),
    reason: LEFT_OUT_REASONS[reason] ?? 'species',
  }));
}

function leftOutText(leftOut: readonly LeftOut[]): string {
  const rows = leftOut.map(({ petId, reason }) => [`${petId}`, LEFT_OUT_REASONS.indexOf(reason)]);
  return JSON.stringify(rows);
}

const SENDING = fieldsOf(
  {
    id: plain<bigint>(),
    channelId: plain<bigint>(),
    startedAt: number,
    endedAt: numberOrNull,
    outcome: plain<SendingOutcome>(),
    rows: number,
    bytes: number,
    photosSent: number,
    photosLeft: number,
    leftOutCount: number,
    leftOut: leftOutIn,
    problem: plain<string | null>(),
    anyway: (cell: bigint) => cell === 1n,
  },
  { rows: 'row_count', bytes: 'byte_count' },
);

const channels = (text: Parameters<typeof query>[1]) => query<object, Channel>(CHANNEL.of, text);
const LIST = channels(sql`SELECT ${CHANNEL.columns} FROM channels`);
const ALL = channels(sql`${LIST.sql} ORDER BY id`);
const FIND = channels(sql`${LIST.sql} WHERE id = $1`);
const FIND_TO_CHANGE = channels(sql`${FIND.sql} ${forUpdate}`);
/** One creation at a time, so that there are never more than the limit. */
const LOCK = onPostgres('LOCK TABLE channels IN SHARE ROW EXCLUSIVE MODE');
const COUNT = query(({ n }: { n: bigint }) => Number(n), sql`SELECT count(*) AS n FROM channels`);
const NEW = 'kind, address, account_id, photos_as, host_key, every_ms, next_at, created_at';
const INSERT = query(
  ({ id }: { id: bigint }) => id,
  sql`INSERT INTO channels (${NEW}, failures) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0) RETURNING id`,
);
const SET_SECRET = sql`UPDATE channels SET secret = $1 WHERE id = $2`;
const SETTINGS =
  'address, account_id, photos_as, secret, host_key, every_ms, disabled_reason, next_at';
const UPDATE = sql`UPDATE channels SET ${assignments(SETTINGS, 2)} WHERE id = $1`;
const REMOVE = sql`DELETE FROM channels WHERE id = $1`;
const REMEMBER = sql`UPDATE channels SET host_key = $2 WHERE id = $1 AND host_key IS NULL`;
const TOLD = sql`UPDATE channels SET told_at = $2 WHERE id = $1`;
const DUE = sql`UPDATE channels SET next_at = $2 WHERE id = $1`;

const sendings = (text: Parameters<typeof query>[1]) => query<object, Sending>(SENDING.of, text);
const SENDINGS = sendings(sql`SELECT ${SENDING.columns} FROM sendings`);
const PENDING = sendings(
  sql`${SENDINGS.sql} WHERE channel_id = $1 AND outcome = 'pending' ORDER BY id LIMIT 1`,
);
const BEGIN = sendings(
  sql`INSERT INTO sendings
      (channel_id, started_at, outcome, row_count, byte_count, left_out_count, left_out, anyway)
    VALUES ($1, $2, 'pending', 0, 0, 0, '[]', $3) RETURNING ${SENDING.columns}`,
);
const ALLOW = sql`UPDATE sendings SET anyway = 1 WHERE id = $1`;
const END = sql`UPDATE sendings SET ended_at = $2, outcome = $3, row_count = $4, byte_count = $5,
  photos_sent = $6, photos_left = $7, left_out_count = $8, left_out = $9, problem = $10 WHERE id = $1`;
const FORGET = sql`DELETE FROM sendings WHERE channel_id = $1 AND id <= (
  SELECT id FROM sendings WHERE channel_id = $1 ORDER BY id DESC LIMIT 1 OFFSET ${SENDINGS_KEPT})`;
const SENT = sql`UPDATE channels SET sent_rows = $2, sent_at = $3, next_at = $4, failures = 0,
  problem = NULL, told_at = NULL WHERE id = $1`;
const FAILED = sql`UPDATE channels SET failures = failures + 1, problem = $2, next_at = $3,
  disabled_reason = coalesce(disabled_reason, $4) WHERE id = $1`;

function* create(channel: NewChannel, secretFor: (id: bigint) => string | null): Work<Channel> {
  yield* run(LOCK);
  if ((yield* only(COUNT)) >= CHANNELS_MAX) throw tooManyChannels();
  const id = yield* only(INSERT, ...valuesOf(NEW, { hostKey: null, ...channel }));
  yield* run(SET_SECRET, secretFor(id), id);
  return yield* only(FIND, id);
}

function* request(id: bigint, anyway: boolean, at: number): Work<Sending | undefined> {
  if ((yield* one(FIND_TO_CHANGE, id)) === undefined) return undefined;
  yield* run(DUE, id, at);
  const waiting = yield* one(PENDING, id);
  if (waiting === undefined) return yield* only(BEGIN, id, at, anyway ? 1n : 0n);
  if (anyway) yield* run(ALLOW, waiting.id);
  return { ...waiting, anyway: anyway || waiting.anyway };
}

function* end(sending: Sending, ended: SendingEnd): Work<void> {
  const { outcome, rows, bytes, leftOutCount, leftOut, problem, endedAt, nextAt } = ended;
  const counts = [rows, bytes, ended.photosSent, ended.photosLeft, leftOutCount];
  yield* run(END, sending.id, endedAt, outcome, ...counts, leftOutText(leftOut), problem);
  yield* run(FORGET, sending.channelId);
  if (outcome === 'sent') yield* run(SENT, sending.channelId, rows, endedAt, nextAt);
  else yield* run(FAILED, sending.channelId, problem, nextAt, ended.disabledReason ?? null);
}

/** What the audit shows of a channel. */
function shownFields(channel: Channel) {
  const { kind, address, accountId, photosAs, hostKey, everyMs, disabledReason } = channel;
  const status = disabledReason === null ? 'enabled' : 'disabled';
  return { kind, address, accountId, photosAs, hostKey, everyMs, status, disabledReason };
}

/** Places that take files of animals, and the log of what was sent to them. */
export function createChannelStorage(
  transactions: Transactions,
  noteAudit: NoteAudit,
): ChannelStorage {
  const { read, write } = transactions;
  const { create: note, ...changing } = auditedRecords(transactions, noteAudit, {
    kind: 'channel',
    findToChange: FIND_TO_CHANGE,
    removal: REMOVE,
    *update({ id }: Channel, next: ChannelSettings) {
      yield* run(UPDATE, id, ...valuesOf(SETTINGS, next));
      return yield* only(FIND, id);
    },
    shown: shownFields,
    more: (before, after) => (before.secret === after.secret ? {} : { secret: true }),
  });

  return {
    find: (id) => read(() => one(FIND, id)),
    page: (request) => read(() => listed(LIST, request, [])),
    all: () => read(() => all(ALL)),
    create: (channel, secretFor, stamp) => note(() => create(channel, secretFor), stamp),
    ...changing,
    request: (id, anyway, at) => write(() => request(id, anyway, at)),
    begin: (id, at) =>
      write(function* () {
        return (yield* one(PENDING, id)) ?? (yield* only(BEGIN, id, at, 0n));
      }),
    end: (sending, ended) => write(() => end(sending, ended)),
    rememberHostKey: (id, hostKey) => write(() => run(REMEMBER, id, hostKey)),
    told: (id, at) => write(() => run(TOLD, id, at)),
    sendings: (channelId, page) =>
      read(() =>
        listed(SENDINGS, { ...page, isDescending: true }, [
          [(parameter) => sql`channel_id = ${parameter}`, channelId],
        ]),
      ),
  };
}
