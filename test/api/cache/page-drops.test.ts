import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { DAY_MS, MINUTE_MS } from '../../../src/domain/clock.ts';
import { addListed } from '../../adopt/shelter.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';
import { expectDropped as expectDrops, type MadeChange } from './dropped.ts';

setDefaultTimeout(120_000);

const DOGS = 30;
/** As many as are on a page of `/adopt` are not all of them. */
const ON_PAGE = 24;
const ALL = '/adopt';
const SMALL = '/adopt?size=small';
const NAMED = '/adopt?q=tom';
const THREE = '/adopt/animals.json?limit=3';
const REST = '/v1/listings?limit=100';
const BUT_ONE = `/v1/listings?limit=${DOGS - 1}`;
const WAITING = '/v1/listings?sort=waiting&limit=3';
const FEED = '/adopt/feed.xml';
const SITEMAP = '/adopt/sitemap.xml';
const FACETS = '/v1/listings/facets';

let petstore: TestPetstore;
/** The animals in the fair order of the day. */
let first: string;
let second: string;
let behind: string;
let last: string;
/** One that was adopted, one that nobody published, and one of which nothing more is known. */
let adopted: bigint;
let unpublished: bigint;
let unknown: bigint;
let paths: readonly string[];

const pageOf = (id: string) => `/adopt/${id}/rex`;
const cardOf = (id: string) => `/adopt/${id}/card`;
const goodbye = () => `/adopt/${adopted}/rex`;

beforeAll(async () => {
  petstore = await startPetstore();
  const { writer, admin } = petstore;
  for (let n = 0; n < DOGS; n++) await addListed(petstore, 'Rex');
  adopted = await addListed(petstore, 'Rex');
  await writer.patch(`/v1/pets/${adopted}`, { status: 'sold' });
  unpublished = await addListed(petstore, 'Max', { published: false });
  [{ id: unknown }] = [
    await petstore.storage.pets.create(
      { name: 'Max', categoryId: 1n, status: 'available' },
      CHANGE_STAMP,
    ),
  ];
  await admin.patch('/v1/shop', { name: 'The shelter' });
  const { text } = await writer.get(REST);
  const ids = (JSON.parse(text) as { pet: { id: number } }[]).map(({ pet }) => `${pet.id}`);
  expect(ids).toHaveLength(DOGS);
  [first, second, behind, last] = [0, 1, ON_PAGE + 1, DOGS - 1].map((n) => ids[n]) as Four;
  const pages = [pageOf(first), cardOf(first), pageOf(last), cardOf(last), goodbye()];
  const lists = [ALL, SMALL, NAMED, THREE, REST, BUT_ONE, WAITING, FEED, SITEMAP, FACETS];
  paths = [...pages, ...lists];
});
type Four = [string, string, string, string];
afterAll(() => petstore[Symbol.asyncDispose]());
// An address may see only so many pages a minute.
beforeEach(() => petstore.clock.advance(MINUTE_MS));

const patch = (id: bigint | string, body: object) => () =>
  petstore.writer.patch(`/v1/pets/${id}`, body);
const describeAs = (id: bigint | string, profile: object) => () =>
  petstore.writer.patch(`/v1/pets/${id}/profile`, profile);

function expectDropped(change: MadeChange, ...expected: readonly string[]): Promise<void> {
  return expectDrops(petstore, petstore.reader, paths, change, expected);
}

// Without a cache there is nothing to drop.
describe.skipIf(process.env['PETSTORE_TEST_CACHE'] === 'off')(
  'what a change drops of pages',
  () => {
    test('nothing, if the animal is not listed and was not', async () => {
      await expectDropped(async () => {
        for (const id of [unpublished, unknown]) {
          for (const change of [{ name: 'Tom' }, { status: 'pending' }, { categoryId: 2 }]) {
            expect((await patch(id, change)()).status).toBe(200);
          }
          await describeAs(id, { headline: 'Calm', size: 'small', care: 'medical' })();
          const order = { petId: Number(id) };
          await patch(id, { status: 'available' })();
          expect((await petstore.admin.post('/v1/store/orders', order)).status).toBe(201);
        }
        return petstore.writer.post('/v1/pets', { name: 'Tom', categoryId: 1 });
      });
    });

    test('nothing, if an import adds and changes animals that are not listed', async () => {
      const rows = (headline: string, name: string) =>
        Array.from({ length: 50 }, (_, n) => ({
          ...{ name, category: { id: 1n }, status: 'available' as const, externalId: `row ${n}` },
          profile: { species: 'dog' as const, headline },
        }));
      await expectDropped(async () => {
        await petstore.storage.pets.importBatch(rows('Calm', 'Tom'), CHANGE_STAMP);
        await petstore.storage.pets.importBatch(rows('Lively', 'Tim'), CHANGE_STAMP);
        return undefined;
      });
    });

    test('nothing, if the public sees nothing of it', async () => {
      await expectDropped(describeAs(first, { location: 'Kennel 4', medicalNotes: 'Sound' }));
      await expectDropped(describeAs(first, { care: 'foster' }));
      await expectDropped(describeAs(first, { care: null }));
    });

    test('what shows the animal, if it stays where it is', async () => {
      const shown = [pageOf(first), cardOf(first), ALL, THREE, REST, BUT_ONE, FEED];
      // The first ones are on the pages of others.
      const everywhere = [...shown, pageOf(last), goodbye()];
      await expectDropped(describeAs(first, { coat: 'short' }), ...everywhere);
      await expectDropped(
        async () => {
          const photo = { sha256: 'a'.repeat(64), width: 640, height: 480, alt: '' };
          await petstore.storage.photos.add(BigInt(first), photo, CHANGE_STAMP);
          return undefined;
        },
        ...everywhere,
      );
      // It is the first one behind the page of all but one.
      const ofLast = [pageOf(last), cardOf(last), REST, BUT_ONE, FEED];
      await expectDropped(describeAs(last, { energy: 'low' }), ...ofLast);
      await expectDropped(describeAs(behind, { coat: 'short' }), REST, BUT_ONE, FEED);
      await expectDropped(patch(adopted, { categoryId: 2 }), goodbye());
    });

    test('what counts or finds the animal, if that may change', async () => {
      const counts = [ALL, SMALL, NAMED, FACETS];
      await expectDropped(describeAs(behind, { size: 'small' }), ...counts, REST, BUT_ONE, FEED);
      await expectDropped(patch(behind, { status: 'pending' }), ...counts, REST, BUT_ONE, FEED);
      const named = [SMALL, NAMED, SITEMAP, REST, BUT_ONE, FEED];
      await expectDropped(patch(behind, { name: 'Tom' }), ...named);
      const waiting = [SMALL, NAMED, WAITING, REST, BUT_ONE, FEED];
      await expectDropped(describeAs(behind, { inCareSince: '2020-01-01' }), ...waiting);
    });

    test('what the animal leaves, and what it comes onto', async () => {
      const counts = [ALL, SMALL, NAMED, FACETS, SITEMAP, REST, FEED];
      for (const change of [
        patch(behind, { status: 'sold' }),
        patch(behind, { status: 'available' }),
        describeAs(behind, { care: 'medical' }),
        describeAs(behind, { care: 'shelter' }),
      ]) {
        await expectDropped(change, ...counts, BUT_ONE, WAITING);
      }
      // A page with nothing behind it has no link to more.
      const ofLast = [pageOf(last), cardOf(last), ...counts, BUT_ONE];
      await expectDropped(describeAs(last, { published: false }), ...ofLast);
    });

    test('everything, if the shop changes or a day passes', async () => {
      const there = paths.filter((path) => !path.includes(`/${last}/`));
      paths = there;
      await expectDropped(() => petstore.admin.patch('/v1/shop', { name: 'Shelter' }), ...there);
      await expectDropped(
        async () => {
          petstore.clock.advance(DAY_MS);
          return undefined;
        },
        ...there,
      );
    });

    test('the page of an animal, and those of others that showed it, if it is removed', async () => {
      const { text } = await petstore.reader.get(goodbye());
      expect(text).toContain(`/adopt/`);
      const shown = [pageOf(second), cardOf(second)];
      paths = [...shown, FACETS, REST];
      await expectDropped(() => petstore.writer.delete(`/v1/pets/${second}`), ...paths);
    });
  },
);
