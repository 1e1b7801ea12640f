import fc from 'fast-check';
import { CHANGE_TYPES } from '../../src/domain/change-log.ts';
import type { Row } from '../../src/storage/tables.ts';
import { alerts, channels, enquiries, mails } from './arbitrary-outside.ts';
import {
  anyText,
  changeId,
  ID_MAX,
  id,
  int64,
  name,
  numberedRows,
  of,
  optional,
  petStatus,
  rows,
  unique,
} from './arbitrary-rows.ts';
import type { Content } from './content.ts';

const KEY_CELLS = [
  fc.constantFrom('program', 'person'),
  fc.stringMatching(/^[0-9a-f]{58}$/),
  name,
  fc.constantFrom('free', 'pro'),
  fc.constant(null),
  fc.constant(null),
  fc.constantFrom('read', 'read,write', 'admin'),
  int64,
  optional(int64),
  optional(int64),
  optional(int64),
  optional(int64),
  optional(int64),
  optional(id),
  optional(id),
] as const;

/** The columns of a person after the id of the key. The others make what has to be unique. */
const PERSON_CELLS = [
  anyText,
  optional(anyText),
  optional(anyText),
  optional(anyText),
  optional(anyText),
  optional(int64),
];

/** The columns of a change that hold its record. */
const RECORD_CELLS = [
  optional(id),
  optional(anyText),
  optional(int64),
  optional(petStatus),
  optional(id),
  optional(int64),
  optional(int64),
  optional(anyText),
  ...[optional(anyText), optional(id), optional(int64)],
] as const;

/** The columns of a stay after its id. */
const STAY_CELLS = [
  ...[int64, fc.constantFrom('2020-02-29', '2026-01-01'), optional(anyText)],
  ...[fc.constantFrom('2026-01-01', '2027-12-31'), anyText, optional(anyText)],
  ...[anyText, anyText],
] as const;

const word = fc.stringMatching(/^[a-z]{1,8}$/);

/** The columns of a listing after its animal. */
const LISTING_CELLS = [
  ...[petStatus, int64, anyText],
  ...[optional(anyText), optional(anyText), optional(anyText), optional(anyText)],
  ...[int64, int64, optional(int64), anyText, anyText, int64],
  fc.uniqueArray(word, { maxLength: 4 }).map((words) => words.join(' ')),
  ...[optional(anyText), optional(anyText), int64, int64],
] as const;

/** The columns of a photo after its animal. */
const PHOTO_CELLS = [
  fc.stringMatching(/^[0-9a-f]{64}$/),
  ...[anyText, int64, int64, int64, int64, int64],
] as const;

const photoFiles = fc
  .uniqueArray(
    fc.tuple(
      fc.stringMatching(/^[0-9a-f]{64}$/),
      int64,
      optional(fc.uint8Array({ maxLength: 300 })),
    ),
    { selector: ([name]) => name, maxLength: 40 },
  )
  .map((list): Row[] => list.sort(([a], [b]) => (a < b ? -1 : 1)));

/** The columns of an import after its id. */
const IMPORT_CELLS = [
  ...[int64, fc.constantFrom(0n, 1n), optional(anyText), anyText],
  ...[anyText, int64, optional(int64)],
  ...[anyText, anyText, anyText, optional(anyText), anyText, int64, int64],
] as const;

const importedRows = fc
  .uniqueArray(fc.tuple(anyText, fc.stringMatching(/^[0-9a-f]{64}$/)), {
    selector: ([externalId]) => externalId,
    maxLength: 12,
  })
  // By bytes, as both engines sort.
  .map((list): Row[] =>
    list
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      // Some are of removed animals.
      .map((row, n) => [...row, n % 3 === 0 ? null : `photo ${n}`, n % 2 === 0 ? null : BigInt(n)]),
  );

const webhooks = rows(
  id,
  optional(id),
  anyText,
  optional(anyText),
  optional(anyText),
  optional(fc.constantFrom('requested', 'gone')),
  anyText,
  optional(anyText),
  ...[optional(int64), int64, optional(int64), optional(int64), id, id],
);

const shop = fc.array(fc.tuple(fc.constant(1n), anyText, optional(anyText), optional(anyText)), {
  maxLength: 1,
});
/** Of webhooks that may have been removed. */
const deliveries = numberedRows(
  id,
  fc.constantFrom(...CHANGE_TYPES),
  anyText,
  fc.constantFrom('pending', 'delivered', 'failed'),
  ...[int64, optional(int64), optional(anyText), optional(anyText)],
  ...[int64, optional(int64), optional(int64)],
);

/** Animals that were removed, with their photos. */
const removed = rows(
  id,
  ...[int64, name, name, int64, petStatus, optional(anyText)],
  ...[fc.constantFrom(0n, 1n), int64, optional(anyText), optional(anyText)],
).chain((pets) =>
  fc.tuple(
    fc.constant(pets),
    of(pets, (petId) => rows(id, petId, ...PHOTO_CELLS)),
  ),
);

/** The profiles, listings and photos of animals. */
function ofAnimals(pets: readonly Row[]) {
  return fc.tuple(
    of(pets, (petId) => rows(petId, anyText, anyText)),
    of(pets, (petId) => rows(petId, ...LISTING_CELLS)),
    of(pets, (petId) => rows(id, petId, ...PHOTO_CELLS)),
  );
}

const retention = fc.tuple(
  fc.option(fc.tuple(int64, optional(int64), int64, int64)),
  fc.constantFrom<Row[][]>([], [['changes', 20_000n, 100n, 10n]]),
);

/** Rows that a shop may have: what the constraints of both engines let in. */
export const arbitraryContent: fc.Arbitrary<Content> = fc
  .tuple(
    rows(id, name, name),
    rows(id, name, name, int64, petStatus, optional(anyText), fc.constantFrom(0n, 1n), int64),
    rows(id, ...KEY_CELLS),
    importedRows,
    rows(id, ...IMPORT_CELLS),
    photoFiles,
  )
  .chain(([categories, pets, keys, imported, imports, files]) => {
    const period = fc.constantFrom('day', 'hour');
    const counts = Array.from({ length: 13 }, () => int64);
    const [text, time] = [optional(anyText), optional(int64)];
    const closed = fc.constantFrom('completed', 'cancelled');
    const flag = fc.constantFrom(0n, 1n);
    return fc
      .tuple(
        ofAnimals(pets),
        fc.tuple(
          rows(
            id,
            ...[int64, text, text, text, text, flag],
            ...[closed, int64, int64, time, time, time, time, text],
          ),
          rows(id, ...STAY_CELLS),
        ),
        of(keys, (keyId) => rows(keyId, ...counts)),
        fc.tuple(
          of(keys, (keyId) => rows(keyId, period, int64, int64, int64, int64)),
          of(keys, (keyId) => rows(keyId, ...PERSON_CELLS)),
        ),
        of(keys, (keyId) => rows(keyId, anyText, anyText, anyText, int64, anyText, anyText, int64)),
        rows(changeId, fc.constantFrom(...CHANGE_TYPES), int64, optional(id), ...RECORD_CELLS),
        fc.tuple(webhooks, deliveries, removed, fc.option(changeId), channels),
        fc.tuple(shop, enquiries, mails, retention, alerts),
        fc.bigInt(0n, 1_000n),
      )
      .map(
        ([
          [profiles, listings, photos],
          [orders, stays],
          allowances,
          [usage, people],
          results,
          changes,
          delivering,
          [shopRows, enquiryRows, mailRows, [clock, erased], alertRows],
          beyond,
        ]) => {
          const [hooks, delivered, [removedPets, removedPhotos], start, places] = delivering;
          const [channelRows, sendings] = places;
          const all = {
            categories: unique(categories, 2),
            pets: unique(pets, 5),
            profiles,
            listings: listings.map((row) => [...row, hasPhoto(row, photos)]),
            stays,
            animals: [],
            photos,
            removed_pets: removedPets,
            removed_photos: removedPhotos,
            photo_files: files,
            imported_rows: imported,
            imports,
            orders,
            changes,
            event_start: start === null ? [] : [[1n, start]],
            // Padded to the length of a hash.
            api_keys: keys.map((row, n) => row.with(2, `${row[2]}${String(n).padStart(6, '0')}`)),
            people: unique(unique(people, 2), 5),
            allowances,
            usage_counts: usage,
            idempotent_results: results,
            webhooks: hooks,
            deliveries: delivered,
            channels: channelRows,
            sendings,
            shop: shopRows,
            enquiries: enquiryRows,
            mails: mailRows,
            alerts: unique(alertRows, 1),
            retention: clock === null ? [] : [[1n, ...clock]],
            erasures: erased,
          };
          return { rows: all, lastIds: lastIdsOf(all, beyond) };
        },
      );
  });

/** The last cell of a listing, which triggers keep. */
function hasPhoto([petId]: Row, photos: readonly Row[]): bigint {
  return photos.some(([, of]) => of === petId) ? 1n : 0n;
}

/** Last ids that lie beyond the ids that are there, as after deletions. */
function lastIdsOf(all: Content['rows'], beyond: bigint): Record<string, bigint> {
  const given = [
    ...['categories', 'pets', 'orders', 'changes', 'api_keys', 'webhooks', 'imports'],
    ...['photos', 'enquiries', 'mails', 'stays', 'channels', 'sendings', 'alerts'],
  ];
  return Object.fromEntries(
    given.map((table) => {
      const highest = (all[table]?.at(-1)?.[0] ?? 0n) as bigint;
      return [table, highest + beyond > ID_MAX ? highest : highest + beyond];
    }),
  );
}
