import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { animalAt } from '../../bench/animals.ts';
import {
  ADDED,
  ANIMALS,
  additions,
  cachedAnimals,
  firstPageOnly,
  pageAt,
} from '../../bench/kinds.ts';
import { peers } from '../../bench/peers/all.ts';
import { inItsWords } from '../../bench/peers/pocketbase/peer.ts';
import { asItResponds, documentWithResponses } from '../../bench/peers/prism/peer.ts';

const PEERS = join(import.meta.dir, '../../bench/peers');
const EXACT = /^v?\d+(?:\.\d+)+(?:-[\w.-]+)?$/;

/** Returns the text of a peer's file, or undefined if there is none. */
function read(folder: string, file: string): string | undefined {
  const path = join(PEERS, folder, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

const firstPage = pageAt('/v1/pets');

/** Returns the dependencies of a peer of npm, PyPI or Go, as declared in its own file. */
function pinned(folder: string): string[] {
  const npm = read(folder, 'package.json');
  if (npm !== undefined) return Object.values(JSON.parse(npm).dependencies);
  const python = read(folder, 'requirements.txt');
  if (python !== undefined)
    return python
      .trim()
      .split('\n')
      .map((line) => line.split('==')[1] ?? '');
  const go = read(folder, 'go.mod') ?? '';
  return [...go.matchAll(/^\t\S+ (v\S+)/gm)].map(([, version = '']) => version);
}

describe('the peers', () => {
  test('are the folders, all listed in the README of the peers', () => {
    const folders = readdirSync(PEERS, { withFileTypes: true }).filter((it) => it.isDirectory());
    const named = peers.map(({ folder }) => folder);
    expect(named.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
    const page = readFileSync(join(PEERS, 'README.md'), 'utf8');
    expect(named.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  test.each(peers.map(({ folder }) => folder))('%s comes in exact versions', (folder) => {
    const versions = pinned(folder);
    expect(versions).not.toEqual([]);
    expect(versions.filter((version) => !EXACT.test(version))).toEqual([]);
    const lock = read(folder, 'package-lock.json') ?? read(folder, 'go.sum');
    const isLock = read(folder, 'requirements.txt') !== undefined;
    expect(isLock || lock !== undefined).toBe(true);
    // npm would contact a host named in its lock file, whatever registry is set.
    expect(lock ?? '').not.toContain('"resolved"');
  });
});

describe('the PocketBase translation', () => {
  const record = (id: string, animal: object) => ({ collectionName: 'pets', ...animal, id });
  const recordAt = (id: number) => record(String(id).padStart(15, '0'), animalAt(id));

  test('accepts only the first page', () => {
    const { load, isRight } = inItsWords(firstPageOnly);
    const items = firstPage.map(({ id }) => recordAt(id));
    const [path = ''] = load.paths;
    expect(isRight(path, { page: 1, items })).toBe(true);
    expect(isRight(path, { page: 1, items: items.toReversed() })).toBe(false);
    expect(isRight(path, { page: 1, items: items.slice(1) })).toBe(false);
    expect(isRight(path, { message: 'no' })).toBe(false);
  });

  test('finds the requested animal by an id of 15 characters', () => {
    const { load, isRight } = inItsWords(cachedAnimals);
    const [path = ''] = load.paths;
    expect(path).toEndWith('/records/000000000010000');
    expect(isRight(path, recordAt(10_000))).toBe(true);
    expect(isRight(path, recordAt(10_001))).toBe(false);
  });

  test('returns an added animal with its own id', () => {
    const { load, status, isRight } = inItsWords(additions);
    const [path = ''] = load.paths;
    expect({ path, status }).toEqual({ path: '/api/collections/pets/records', status: 200 });
    expect(isRight(path, record('md6nhizslg1mwpv', ADDED))).toBe(true);
    expect(isRight(path, record('short', ADDED))).toBe(false);
    expect(isRight(path, record('md6nhizslg1mwpv', { ...ADDED, categoryId: 8 }))).toBe(false);
  });
});

describe('Prism', () => {
  test('gets our document with correct examples, as long as our responses', async () => {
    const { paths } = await documentWithResponses();
    const exampleOf = (path: string, method: string, status: string) =>
      paths[path]?.[method]?.responses[status]?.content?.['application/json']?.example;
    const { isRight } = asItResponds(cachedAnimals);
    expect(exampleOf('/pets', 'get', '200')).toEqual(firstPage);
    expect(isRight('/pets/10089', exampleOf('/pets/{petId}', 'get', '200'))).toBe(true);
    expect(isRight('/pets/10089', animalAt(10_089))).toBe(false);
    expect(exampleOf('/pets', 'post', '201')).toEqual({ id: ANIMALS + 1, ...ADDED });
  });
});
