import type { NewApiKey } from '../../src/domain/api-key.ts';
import { DAY_MS, MINUTE_MS } from '../../src/domain/clock.ts';
import { NO_ROWS } from '../../src/domain/import.ts';
import type { ImportedPet } from '../../src/domain/pet.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { openPhotos } from '../../src/photos/photos.ts';
import { createRetention, type SweepParts } from '../../src/server/sweeps.ts';
import { attemptOf, delivered, newTerm } from '../storage/conformance/delivery-states.ts';
import { anyState, imported } from '../storage/subject.ts';
import type { TestClock } from './clock.ts';
import { letter } from './enquiries.ts';

/** How long things are kept. */
export type Kept = Pick<
  SweepParts,
  'eventsKeepMs' | 'auditKeepMs' | 'enquiriesKeepMs' | 'ordersKeepMs'
>;

/** An animal is removed this long after it came; half of them are adopted before that. */
const STAY_DAYS = 20;
const ADOPTED_AFTER_DAYS = 5;
const NEW_KEY_DAYS = 7;
const NEW_PERSON_DAYS = 15;
/** What is kept for an hour is still there then. */
const SWEPT_AFTER_MS = 30 * MINUTE_MS;
const PHOTO_BYTES = 20_000;

/**
 * The life of a shop, one day at a call: animals come by a file, are adopted and removed, and every table of
 * the database gets rows. Then the sweeps of the service run.
 */
export async function openShop(storage: Storage, clock: TestClock, kept: Kept, perDay: number) {
  const photos = openPhotos(undefined, storage.photoFiles, clock);
  const retention = createRetention({
    ...{ storage, photos, clock, ...kept },
    ...{ log: { info() {}, warn() {} }, isEnding: () => false },
  });
  const stamp = (keyId: bigint | null = null) => ({ at: clock.now(), keyId });
  const animals = new Map<number, readonly bigint[]>();
  let day = 0;
  const { id: lasting } = await storage.keys.create({
    ...newKey(0, clock.now()),
    hash: hashOf('lasting'),
  });
  let key = (await storage.keys.create(newKey(0, clock.now()))).id;
  let person: bigint | undefined;
  const { id: webhookId } = await storage.webhooks.create(
    {
      ...{ url: 'https://a.example/', types: null, description: null, ownerId: null },
      ...{ disabledReason: null, createdAt: clock.now() },
    },
    () => 'secret',
  );
  const term = await newTerm(storage);

  async function importAnimals(): Promise<void> {
    const owner = 'a process';
    const claim = { owner, leaseEndsAt: clock.now() + DAY_MS };
    const record = await storage.imports.create({
      ...{ keyId: key, dryRun: false, createdAt: clock.now(), choices: '' },
      ...claim,
    });
    const batch = Array.from({ length: perDay }, (_, n) => row(day, n));
    await storage.pets.importBatch(batch, { ...stamp(key), importId: record.id });
    const found = await storage.pets.findImported(batch.map(({ externalId = '' }) => externalId));
    animals.set(
      day,
      found.map(({ id }) => id),
    );
    const ended = { status: 'completed', endedAt: clock.now(), rows: NO_ROWS } as const;
    await storage.imports.save(
      { id: record.id, ...claim },
      { ...ended, rejectedRows: [], failure: null, header: null },
    );
    const asked = found.slice(0, Math.ceil(perDay / 2));
    await Promise.all([
      ...found.map(({ id }) => addPhoto(id)),
      ...asked.map(({ id }) => receiveEnquiry(id)),
    ]);
  }

  async function addPhoto(petId: bigint): Promise<void> {
    const content = new Uint8Array(PHOTO_BYTES).fill(Number(petId % 256n));
    const sha256 = Bun.SHA256.hash(`${petId}`, 'hex');
    await storage.photoFiles.put([{ name: `${sha256}-320.webp`, content }], clock.now());
    await storage.photos.add(petId, { sha256, alt: 'Rex', width: 640, height: 480 }, stamp(key));
  }

  async function adopt(petId: bigint): Promise<void> {
    const who = { adopter: 'Jordan Ellis', contact: 'jordan@example.com', note: 'Has two cats.' };
    const { id } = await storage.orders.place({ petId, ...who }, stamp(key));
    for (const status of ['approved', 'completed'] as const) {
      await storage.orders.update(id, { status }, stamp(key), anyState);
    }
  }

  async function receiveEnquiry(petId: bigint): Promise<void> {
    await storage.enquiries.receive(letter(petId), clock.now());
    const alert = {
      ...{ name: `alert ${day}`, mailName: `alert mail ${day}`, search: 'species=dog' },
      ...{ email: 'robin@example.com', language: 'en', receiver: 'robin', sender: `sender ${day}` },
    };
    await storage.alerts.request(alert, clock.now());
    await storage.alerts.confirm(alert.name, clock.now());
    await sendMails(storage.mails, term, `mail ${day}`, clock.now());
  }

  /** Requests with an idempotency key, usage, sessions, and the deliveries of a webhook. */
  async function serve(): Promise<void> {
    const result = { status: 201, body: JSON.stringify(row(day, 0)), headers: {} };
    const request = { keyId: lasting, operation: 'createPet', fingerprint: 'f'.repeat(64) };
    const counts = { start: clock.now(), requests: 9, refused: 1, errors: 0 };
    const window = { start: clock.now(), used: 1, otherStart: 0, otherUsed: 0 };
    const bans = { refusalsStart: 0, refusals: 0, bans: 0, bannedUntil: 0, unbannedAt: 0 };
    await Promise.all([
      storage.idempotency.once({ ...request, key: `${day}`, at: clock.now() }, async () => result),
      storage.usage.add([{ keyId: lasting, ...counts }]),
      storage.allowances.save([{ keyId: lasting, minute: window, day: window, ...bans }]),
      storage.sessions.create(
        { hash: hashOf(`session ${day}`), keyId: lasting, createdAt: clock.now() },
        [],
      ),
    ]);
    const events = Array.from({ length: perDay }, (_, n) => BigInt(day * perDay + n + 1));
    const added = { webhookId, type: 'pet.created', createdAt: clock.now() } as const;
    await storage.deliveries.add(
      term,
      events.map((eventId) => ({ ...added, eventId, record: `pet ${eventId}` })),
    );
    await storage.deliveries.record(
      term,
      events.map((eventId) => attemptOf(webhookId, delivered(eventId))),
    );
    await storage.deliveries.savePositions(term, [{ webhookId, position: events.at(-1) ?? 0n }]);
  }

  /** Keys and people come and go. */
  async function changeStaff(): Promise<void> {
    if (day % NEW_KEY_DAYS === 0) {
      const next = await storage.keys.create(newKey(day + 1, clock.now()));
      await storage.keys.revoke(key, clock.now());
      key = next.id;
    }
    if (day % NEW_PERSON_DAYS === 0) {
      if (person !== undefined) await storage.people.remove(person, stamp(), anyState);
      const settings = { name: 'Ada', email: 'ada@example.com', role: 'viewer' } as const;
      const invitation = { hash: hashOf(`invitation ${day}`), expiresAt: clock.now() };
      person = (await storage.people.create(settings, stamp(), invitation)).id;
    }
  }

  return {
    /** Lives a day, and sweeps half an hour after what it did. */
    async live(): Promise<void> {
      await changeStaff();
      const wanted = animals.get(day - ADOPTED_AFTER_DAYS) ?? [];
      const leaving = animals.get(day - STAY_DAYS) ?? [];
      animals.delete(day - STAY_DAYS);
      await Promise.all([
        importAnimals(),
        serve(),
        ...wanted.slice(0, Math.ceil(perDay / 2)).map(adopt),
        ...leaving.map((id) => storage.pets.remove(id, stamp(key), anyState)),
      ]);
      // Numbers the changes of PostgreSQL, and indexes names on SQLite.
      await storage.optimize();
      clock.advance(SWEPT_AFTER_MS);
      await retention.run(async (_, work) => void (await work()));
      clock.advance(DAY_MS - SWEPT_AFTER_MS);
      day++;
    },
  };
}

const hashOf = (text: string) => Bun.SHA256.hash(text, 'hex');

function newKey(day: number, createdAt: number): NewApiKey {
  const limits = { plan: 'pro', perMinute: null, perDay: null } as const;
  const hash = hashOf(`key ${day}`);
  return {
    hash,
    name: `Key of day ${day}`,
    ...limits,
    scopes: ['write'],
    createdAt,
    expiresAt: null,
  };
}

/** A row of a file, whose animal is listed. */
function row(day: number, n: number): ImportedPet {
  const profile = {
    species: 'dog',
    sex: 'male',
    breed: 'Labrador Retriever Mix',
    published: true,
    description: 'A calm dog who likes long walks, children and the sofa. '.repeat(4),
  } as const;
  return imported({
    name: `Rex ${n}`,
    category: { name: 'Dogs' },
    externalId: `A${day}-${n}`,
    profile,
  });
}

/** Notes that staff were told of enquiries, as the process does that sends mails. */
async function sendMails(
  mails: Storage['mails'],
  term: bigint,
  name: string,
  at: number,
): Promise<void> {
  await mails.collect(term, name, at);
  for (const { id } of (await mails.pending(at, 9))?.next ?? []) {
    const attempt = { id, attempts: 1, nextAttemptAt: null, at, isRefused: false } as const;
    await mails.record(term, { ...attempt, status: 'delivered', toldUpTo: undefined }, false);
  }
}
