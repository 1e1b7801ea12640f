import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wheel } from '../../python/wheel.ts';
import facts from '../package.json';

const CLIENT = join(import.meta.dir, '..');
const BIN = join(CLIENT, '../../node_modules/.bin');
/** Where the service has what it hands out. */
const HANDED_OUT = join(CLIENT, '../../src/site/client');

/** Returns what the service hands out of the client: the package, and one module for browsers. */
export async function handedOut(): Promise<ReadonlyMap<string, Uint8Array>> {
  const env = { ...process.env, PATH: `${BIN}:${process.env['PATH']}` };
  const folder = mkdtempSync(join(tmpdir(), 'petstore-client-'));
  try {
    const { success } = Bun.spawnSync(['node', join(CLIENT, 'build.js'), folder], { env });
    if (!success) throw new Error('The client cannot be compiled: see npm run types.');
    const names = ['LICENSE', 'README.md', 'package.json', 'example/*'].flatMap((pattern) => [
      ...new Bun.Glob(pattern).scanSync(CLIENT),
    ]);
    const built = [...new Bun.Glob('**').scanSync(folder)];
    const archive = await tar([
      ...names.map((name) => [name, join(CLIENT, name)] as const),
      ...built.map((name) => [`dist/${name}`, join(folder, name)] as const),
    ]);
    return new Map([
      ['petstore-client.tgz', Bun.gzipSync(archive, { level: 9 })],
      ['petstore-client.js', await bundle(join(folder, 'index.js'))],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function bundle(entry: string): Promise<Uint8Array> {
  const banner = `/* petstore-client ${facts.version}, ${facts.license} */`;
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    format: 'esm',
    minify: true,
    banner,
  });
  const [module] = outputs;
  if (module === undefined) throw new Error('The client cannot be bundled.');
  return new Uint8Array(await module.arrayBuffer());
}

const BLOCK = 512;
/** The time of all files, as in every package that npm packs: 26 October 1985. */
const PACKED_AT = 499_162_500;

/**
 * Returns files as a tar archive (POSIX ustar): sorted and with a fixed time, since the archives of
 * npm and Bun differ by their versions and by the time.
 */
async function tar(
  files: readonly (readonly [name: string, path: string])[],
): Promise<Uint8Array<ArrayBuffer>> {
  const blocks: Uint8Array[] = [];
  for (const [name, path] of files.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const body = await Bun.file(path).bytes();
    const padding = new Uint8Array((BLOCK - (body.length % BLOCK)) % BLOCK);
    blocks.push(header(`package/${name}`, body.length), body, padding);
  }
  return Buffer.concat([...blocks, new Uint8Array(2 * BLOCK)]);
}

function header(name: string, size: number): Uint8Array {
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  const before = [name.padEnd(100, '\0'), octal(0o644, 7), octal(0, 7), octal(0, 7)].join('');
  const fields = `${before}${octal(size, 11)}${octal(PACKED_AT, 11)}`;
  const after = `0${'\0'.repeat(100)}ustar\x0000`.padEnd(BLOCK - fields.length - 8, '\0');
  // The sum counts itself as blanks.
  const sum = Buffer.from(fields + ' '.repeat(8) + after).reduce((a, b) => a + b, 0);
  return Buffer.from(`${fields}${octal(sum, 6)} ${after}`);
}

// `npm run openapi` writes the files.
if (import.meta.main) {
  for (const [name, bytes] of await handedOut()) await Bun.write(join(HANDED_OUT, name), bytes);
  await Bun.write(join(HANDED_OUT, 'petstore-client.whl'), await wheel());
}
