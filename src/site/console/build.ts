import { dirname, join } from 'node:path';
import type { BunPlugin } from 'bun';
import { type CompressedText, compress } from '../../http/compression.ts';
import { hashOf } from '../../messages/hash.ts';
import type { AssetName } from '../assets.ts';
import icon from '../icon.svg' with { type: 'text' };

const SOURCES = join(import.meta.dir, '../../console');

/** A file that the browser loads, compressed. */
export interface BuiltFile extends CompressedText {
  readonly name: AssetName;
}

/** The parser of imports is the same in the browser, without the streams of Node. */
const BROWSER_PARSER: BunPlugin = {
  name: 'CSV in the browser',
  setup(build) {
    build.onResolve({ filter: /^csv-parse$/ }, () => ({
      path: Bun.fileURLToPath(import.meta.resolve('csv-parse/browser/esm')),
    }));
  },
};

/** The words of a language are found by a hash of those in English, which are in the code already. */
const HASHED_WORDS: BunPlugin = {
  name: 'words by hash',
  setup(build) {
    build.onLoad({ filter: /[\\/]messages[\\/]\w+\.json$/ }, async ({ path }) => {
      const words = Object.entries<string>(await Bun.file(path).json());
      const hashed = Object.fromEntries(words.map(([text, other]) => [hashOf(text), other]));
      return { contents: JSON.stringify(hashed), loader: 'json' };
    });
  },
};

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
    plugins: [BROWSER_PARSER, HASHED_WORDS],
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const built = outputs.map(async (output) => {
    const name = output.path.replace(/^\.\//, '');
    // The bundler was given scripts only.
    return builtFile(name as AssetName, await output.text());
  });
  const styles = builtFile('console.css', await readStyles(join(SOURCES, 'console.css')));
  return Promise.all([...built, styles, builtFile('icon.svg', icon)]);
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

async function builtFile(name: AssetName, text: string): Promise<BuiltFile> {
  return { name, ...(await compress(text)) };
}
