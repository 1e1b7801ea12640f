/** The work of our service for peers in JavaScript, on Node and Bun. */
import { createHash, randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';

const FRESH_MS = 500;
const FLUSH_MS = 1_000;
const PAGE = 20;
const PAGE_MAX = 100;
const WINDOWS = [
  { name: 'minute', seconds: 60, column: 'per_minute' },
  { name: 'day', seconds: 86_400, column: 'per_day' },
];

export const STATUSES = ['available', 'pending', 'sold'];

/** Columns of an animal by their names in JSON. */
const COLUMNS = 'id, name, category_id AS categoryId, status';

/** The statements of the database, for both `node:sqlite` and `bun:sqlite`. */
export function openPets(database) {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  const page = (filter) =>
    database.prepare(`SELECT ${COLUMNS} FROM pets WHERE ${filter} id > ? ORDER BY id LIMIT ?`);
  const all = page('');
  const ofStatus = page('status = ? AND');
  const ofCategory = page('category_id = ? AND');
  const ofBoth = page('category_id = ? AND status = ? AND');
  const one = database.prepare(`SELECT ${COLUMNS} FROM pets WHERE id = ?`);
  const changes = ['pets SET status = ? WHERE id', 'listings SET status = ? WHERE pet_id'].map(
    (set) => database.prepare(`UPDATE ${set} = ?`),
  );
  const key = database.prepare('SELECT * FROM api_keys WHERE hash = ?');
  const insert = database.prepare(
    `INSERT INTO pets (name, name_folded, category_id, status, was_offered, added_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return {
    list({ status, categoryId, after, limit }) {
      if (status === undefined && categoryId === undefined) return all.all(after, limit);
      if (categoryId === undefined) return ofStatus.all(status, after, limit);
      if (status === undefined) return ofCategory.all(categoryId, after, limit);
      return ofBoth.all(categoryId, status, after, limit);
    },
    find: (id) => one.get(id),
    update: database.transaction((id, status) => {
      for (const statement of changes) statement.run(status, id);
      return one.get(id);
    }),
    findKey: (hash) => key.get(hash),
    /** One transaction, on disk when this returns. */
    create({ name, categoryId, status }) {
      const wasOffered = status === 'sold' ? 0 : 1;
      const values = [name, name.toLowerCase(), categoryId, status, wasOffered, Date.now()];
      const { lastInsertRowid } = insert.run(...values);
      return { id: Number(lastInsertRowid), name, categoryId, status };
    },
  };
}

/** Finds the key of an Authorization header. Results are cached for half a second. */
export function createKeyCheck(findKey) {
  const seen = new Map();
  return (field, now) => {
    const known = seen.get(field);
    if (known !== undefined && now - known.readAt < FRESH_MS) return known.key;
    seen.delete(field);
    const text = /^bearer +(\S+)$/i.exec(field ?? '')?.[1];
    if (text === undefined) return undefined;
    const key = findKey(createHash('sha256').update(text).digest('hex'));
    if (key === undefined || key === null || key.revoked_at !== null) return undefined;
    if (key.expires_at !== null && key.expires_at <= now) return undefined;
    seen.set(field, { key, readAt: now });
    return key;
  };
}

/** Counts requests of keys in windows of a minute and a day. Returns the rate limit headers. */
export function createLimits() {
  const counts = new Map();
  return (key, now) => {
    const used = counts.get(key.id) ?? WINDOWS.map(() => ({ start: 0, count: 0 }));
    counts.set(key.id, used);
    const states = WINDOWS.map(({ name, seconds, column }, index) => {
      const start = now - (now % (seconds * 1_000));
      if (used[index].start !== start) used[index] = { start, count: 0 };
      const resetsAt = start / 1_000 + seconds;
      return { name, seconds, limit: key[column], count: used[index], resetsAt };
    });
    const granted = states.every(({ limit, count }) => count.count < limit);
    if (granted) for (const { count } of states) count.count++;
    return { granted, headers: limitHeaders(states, now) };
  };
}

function limitHeaders(states, now) {
  const left = ({ limit, count }) => limit - count.count;
  const tightest = states.reduce((a, b) => (left(b) < left(a) ? b : a));
  const fields = states.map(
    (state) => `"${state.name}";r=${left(state)};t=${Math.ceil(state.resetsAt - now / 1_000)}`,
  );
  return {
    'x-ratelimit-limit': String(tightest.limit),
    'x-ratelimit-remaining': String(left(tightest)),
    'x-ratelimit-reset': String(tightest.resetsAt),
    'ratelimit-policy': states
      .map(({ name, limit, seconds }) => `"${name}";q=${limit};w=${seconds}`)
      .join(', '),
    ratelimit: fields.join(', '),
  };
}

/** Headers of every response besides those of the limits. */
export function commonHeaders() {
  return {
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    vary: 'Authorization',
    'x-request-id': randomUUID(),
  };
}

export function entityTag(text) {
  return `"${createHash('sha1').update(text).digest('base64url')}"`;
}

/** Reads filters, page size and cursor of a list. Returns undefined if one is invalid. */
export function listQuery({ status, categoryId, cursor, limit }) {
  const asked = {
    status,
    categoryId: wholeNumber(categoryId),
    after: wholeNumber(cursor) ?? 0,
    limit: wholeNumber(limit) ?? PAGE,
  };
  if (status !== undefined && !STATUSES.includes(status)) return undefined;
  if (Number.isNaN(asked.categoryId) || Number.isNaN(asked.after)) return undefined;
  return asked.limit >= 1 && asked.limit <= PAGE_MAX ? asked : undefined;
}

function wholeNumber(text) {
  if (text === undefined) return undefined;
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** Links a full page to the next one. Returns headers. */
export function nextLink({ status, categoryId, limit }, pets) {
  if (pets.length < limit) return {};
  let query = `limit=${limit}&cursor=${pets[pets.length - 1].id}`;
  if (status !== undefined) query += `&status=${status}`;
  if (categoryId !== undefined) query += `&categoryId=${categoryId}`;
  return { link: `<http://127.0.0.1/v1/pets?${query}>; rel="next"` };
}

/** Writes a line of JSON per request to standard output, buffered for a second. */
export function createLog() {
  let lines = '';
  const flush = () => {
    if (lines !== '') writeSync(1, lines);
    lines = '';
  };
  setInterval(flush, FLUSH_MS).unref();
  return (record) => {
    lines += `${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`;
    if (lines.length > 32_768) flush();
  };
}
