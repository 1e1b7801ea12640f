import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { AssetName } from '../assets.ts';
import icon from '../icon.svg' with { type: 'text' };

/** The best quality, 11, takes 18 times as long for 7 % less, and the first visitor waits for it. */
const BROTLI = { [constants.BROTLI_PARAM_QUALITY]: 9 };
const SOURCES = join(import.meta.dir, '../../console');

/** A file that the browser loads, compressed. */
export interface BuiltFile {
  readonly name: AssetName;
  readonly gzip: Uint8Array;
  readonly brotli: Uint8Array;
}

/** Builds the console from its sources. The same sources give the same files on every machine. */
export async function buildConsole(): Promise<readonly BuiltFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(SOURCES, 'main.tsx')],
    root: SOURCES,
    target: 'browser',
    splitting: true,
    minify: true,
    // All files are in a folder named after a hash of them. Chunks have no names of their own.
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const built = outputs.map(async (output) => {
    const name = output.path.replace(/^\.\//, '');
    // The bundler was given scripts only.
    return compress(name as AssetName, await output.text());
  });
  const styles = compress('console.css', await readStyles(join(SOURCES, 'console.css')));
  return Promise.all([...built, styles, compress('icon.svg', icon)]);
}

/**
 * Returns a style sheet with those that it imports. Bun's bundler would rewrite it for old browsers,
 * and change which rule wins.
 */
async function readStyles(path: string): Promise<string> {
  const text = await Bun.file(path).text();
  const imports = [...text.matchAll(/^@import "(.+)";$/gm)];
  const imported = await Promise.all(
    imports.map(([, target = '']) => readStyles(join(dirname(path), target))),
  );
  return `${imported.join('')}${text.replace(/^@import .*\n/gm, '')}`.replace(
    /\/\*.*?\*\/\s*/gs,
    '',
  );
}

async function compress(name: AssetName, text: string): Promise<BuiltFile> {
  const bytes = Buffer.from(text);
  const [gzipped, brotli] = await Promise.all([
    promisify(gzip)(bytes, { level: 9 }),
    promisify(brotliCompress)(bytes, { params: BROTLI }),
  ]);
  return { name, gzip: gzipped, brotli };
}
