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
  SENDINGS_KEPT,
  type SendingOutcome,
  tooManyChannels,
} from '../../domain/channel.ts';
import { assignments, fieldsOf, json, number, numberOrNull, plain, valuesOf } from '../fields.ts';
import { listed } from '../lists.ts';
import { forUpdate, methodsOf, onPostgres, sql, type Transactions } from '../statements.ts';
import { auditedRecords } from './audited.ts';

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

const LIST = sql`SELECT ${CHANNEL.columns} FROM channels`.as(CHANNEL);
const ALL = sql`${LIST.sql} ORDER BY id`.as(CHANNEL);
const FIND = sql`${LIST.sql} WHERE id = $1`.as(CHANNEL);
const FIND_TO_CHANGE = sql`${FIND.sql} ${forUpdate}`.as(CHANNEL);
/** One creation at a time, so that there are never more than the limit. */
const LOCK = onPostgres('LOCK TABLE channels IN SHARE ROW EXCLUSIVE MODE');
const COUNT = sql`SELECT count(*) AS n FROM channels`.value(number);
const NEW = 'kind, address, account_id, photos_as, host_key, every_ms, next_at, created_at';
const INSERT =
  sql`INSERT INTO channels (${NEW}, failures) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)
    RETURNING id`.value<bigint>();
const SET_SECRET = sql`UPDATE channels SET secret = $1 WHERE id = $2`;
const SETTINGS =
  'address, account_id, photos_as, secret, host_key, every_ms, disabled_reason, next_at';
const UPDATE = sql`UPDATE channels SET ${assignments(SETTINGS, 2)} WHERE id = $1`;
const REMOVE = sql`DELETE FROM channels WHERE id = $1`;
const REMEMBER = sql`UPDATE channels SET host_key = $2 WHERE id = $1 AND host_key IS NULL`;
const TOLD = sql`UPDATE channels SET told_at = $2 WHERE id = $1`;
const DUE = sql`UPDATE channels SET next_at = $2 WHERE id = $1`;

const SENDINGS = sql`SELECT ${SENDING.columns} FROM sendings`.as(SENDING);
const PENDING = sql`${SENDINGS.sql} WHERE channel_id = $1 AND outcome = 'pending'
    ORDER BY id LIMIT 1`.as(SENDING);
const BEGIN = sql`INSERT INTO sendings
      (channel_id, started_at, outcome, row_count, byte_count, left_out_count, left_out, anyway)
    VALUES ($1, $2, 'pending', 0, 0, 0, '[]', $3) RETURNING ${SENDING.columns}`.as(SENDING);
const ALLOW = sql`UPDATE sendings SET anyway = 1 WHERE id = $1`;
const END = sql`UPDATE sendings SET ended_at = $2, outcome = $3, row_count = $4, byte_count = $5,
  photos_sent = $6, photos_left = $7, left_out_count = $8, left_out = $9, problem = $10 WHERE id = $1`;
const FORGET = sql`DELETE FROM sendings WHERE channel_id = $1 AND id <= (
  SELECT id FROM sendings WHERE channel_id = $1 ORDER BY id DESC LIMIT 1 OFFSET ${SENDINGS_KEPT})`;
const SENT = sql`UPDATE channels SET sent_rows = $2, sent_at = $3, next_at = $4, failures = 0,
  problem = NULL, told_at = NULL WHERE id = $1`;
const FAILED = sql`UPDATE channels SET failures = failures + 1, problem = $2, next_at = $3,
  disabled_reason = coalesce(disabled_reason, $4) WHERE id = $1`;

/** What the audit shows of a channel. */
function shownFields(channel: Channel) {
  const { kind, address, accountId, photosAs, hostKey, everyMs, disabledReason } = channel;
  const status = disabledReason === null ? 'enabled' : 'disabled';
  return { kind, address, accountId, photosAs, hostKey, everyMs, status, disabledReason };
}

const AUDITED = auditedRecords({
  kind: 'channel',
  findToChange: FIND_TO_CHANGE,
  removal: REMOVE,
  *update({ id }: Channel, next: ChannelSettings) {
    yield* UPDATE.run(id, ...valuesOf(SETTINGS, next));
    return yield* FIND.only(id);
  },
  shown: shownFields,
  more: (before, after) => (before.secret === after.secret ? {} : { secret: true }),
});

/** Places that take files of animals, and the log of what was sent to them. */
export function createChannelStorage(transactions: Transactions): ChannelStorage {
  const { reads, writes } = methodsOf<ChannelStorage>(transactions);
  return {
    ...reads({
      find: (id) => FIND.one(id),
      page: (request) => listed(LIST, request),
      all: () => ALL.all(),
      sendings: (channelId, page) =>
        listed(SENDINGS, { ...page, isDescending: true }, [['channel_id', channelId]]),
    }),
    ...writes({
      ...AUDITED,
      create: (channel, secretFor, stamp) =>
        AUDITED.create(function* () {
          yield* LOCK.run();
          if ((yield* COUNT.only()) >= CHANNELS_MAX) throw tooManyChannels();
          const id = yield* INSERT.only(...valuesOf(NEW, { hostKey: null, ...channel }));
          yield* SET_SECRET.run(secretFor(id), id);
          return yield* FIND.only(id);
        }, stamp),
      *request(id, anyway, at) {
        if ((yield* FIND_TO_CHANGE.one(id)) === undefined) return undefined;
        yield* DUE.run(id, at);
        const waiting = yield* PENDING.one(id);
        if (waiting === undefined) return yield* BEGIN.only(id, at, anyway ? 1n : 0n);
        if (anyway) yield* ALLOW.run(waiting.id);
        return { ...waiting, anyway: anyway || waiting.anyway };
      },
      *begin(id, at) {
        return (yield* PENDING.one(id)) ?? (yield* BEGIN.only(id, at, 0n));
      },
      *end({ id, channelId }, ended) {
        const { outcome, rows, bytes, leftOutCount, leftOut, problem, endedAt, nextAt } = ended;
        const counts = [rows, bytes, ended.photosSent, ended.photosLeft, leftOutCount];
        yield* END.run(id, endedAt, outcome, ...counts, leftOutText(leftOut), problem);
        yield* FORGET.run(channelId);
        if (outcome === 'sent') yield* SENT.run(channelId, rows, endedAt, nextAt);
        else yield* FAILED.run(channelId, problem, nextAt, ended.disabledReason ?? null);
      },
      rememberHostKey: (id, hostKey) => REMEMBER.run(id, hostKey),
      told: (id, at) => TOLD.run(id, at),
    }),
  };
}
