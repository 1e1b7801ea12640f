/**
 * `npm run build`: builds the executable, with the console built and compressed inside it.
 * Usage: bun build/executable.ts OUTFILE
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import { type BuiltFile, buildConsole } from '../src/site/console/build.ts';

const [outfile = 'dist/petstore'] = process.argv.slice(2);

/** Replaces the module that builds the console by one with the files built here. */
function embedConsole(files: readonly BuiltFile[], folder: string): BunPlugin {
  return {
    name: 'embedded console',
    setup(build) {
      build.onLoad({ filter: /[/\\]src[/\\]site[/\\]console[/\\]files\.ts$/ }, async () => {
        return { contents: await embeddingModule(files, folder), loader: 'ts' };
      });
    },
  };
}

/** Writes the files to a folder, and returns a module that imports them from there. */
async function embeddingModule(files: readonly BuiltFile[], folder: string): Promise<string> {
  const imports: string[] = [];
  const entries: string[] = [];
  for (const [index, { name, gzip, brotli }] of files.entries()) {
    const path = join(folder, name);
    await Bun.write(`${path}.gz`, gzip);
    await Bun.write(`${path}.br`, brotli);
    imports.push(
      `import gzip${index} from ${JSON.stringify(`${path}.gz`)} with { type: 'file' };`,
      `import brotli${index} from ${JSON.stringify(`${path}.br`)} with { type: 'file' };`,
    );
    const blobs = `gzip: Bun.file(gzip${index}), brotli: Bun.file(brotli${index})`;
    entries.push(`{ name: ${JSON.stringify(name)}, ${blobs} }`);
  }
  const list = `export const consoleFiles = async () => [\n${entries.join(',\n')}\n];\n`;
  return `${imports.join('\n')}\n${list}`;
}

/** The commit that is checked out, also in an image, whose context has no history: there it is an argument. */
async function builtFrom(): Promise<string> {
  const given = process.env['PETSTORE_COMMIT'];
  if (given) return given;
  const asked = await Bun.$`git rev-parse HEAD`.nothrow().quiet();
  return asked.exitCode === 0 ? asked.text().trim() : '';
}

const folder = mkdtempSync(join(tmpdir(), 'petstore-console-'));
try {
  await Bun.build({
    entrypoints: [join(import.meta.dir, '../src/main.ts')],
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
    target: 'bun',
    format: 'esm',
    minify: { whitespace: true, syntax: true, identifiers: true, keepNames: true },
    define: { BUILT_FROM: JSON.stringify(await builtFrom()) },
    bytecode: true,
    sourcemap: 'inline',
    plugins: [embedConsole(await buildConsole(), folder)],
  });
  rmSync(`${outfile}.map`, { force: true });
} finally {
  rmSync(folder, { recursive: true });
}
