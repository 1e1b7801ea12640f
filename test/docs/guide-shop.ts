import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { spawnPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { untilIllustrated } from '../support/sample-pictures.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { python } from './python.ts';

const ROOT = join(import.meta.dir, '../..');
const MAIN = join(ROOT, 'src/main.ts');
const KEY = /petstore_live_[0-9A-Za-z]{38}/;

/** npm has a new home, but the packages and the registry of whoever runs the tests. */
const NPM = {
  npm_config_cache: join(homedir(), '.npm'),
  npm_config_userconfig: join(homedir(), '.npmrc'),
  npm_config_audit: 'false',
  NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'],
};

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The service that `npm start` runs for a newcomer, with its first key. */
export interface GuideShop extends AsyncDisposable {
  /** The root address, without a path. */
  readonly url: string;
  readonly key: string;
  /** Returns the path of a file in the working folder of the programs. */
  file(name: string): string;
  /** Replaces the addresses and the key in a guide: those of this service, and that of a program. */
  fill(text: string): string;
  /** Waits until the sample animals have their pictures: before, their events stand among others. */
  untilIllustrated(): Promise<void>;
  /** Lets programs import the client as it is published, from where it is installed. */
  installClient(folder: string): void;
  /** Runs a program with `petstore` set up for this database; a signal ends it. */
  run(command: readonly string[], signal?: AbortSignal): Promise<Ran>;
  /** The same shop for programs in an empty folder. To dispose of it leaves the shop. */
  inEmptyFolder(): GuideShop;
}

/** Starts the demo on a free port, with the sample animals and a first key. */
export async function startGuideShop(): Promise<GuideShop> {
  const folder = createTemporaryFolder();
  const port = `${freePort()}`;
  const settings = {
    PETSTORE_DATABASE: `sqlite:${folder.file('shop.db')}`,
    // The guide of webhooks has a receiver on this machine, and that of browsers a page.
    PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
    PETSTORE_CORS_ORIGINS: `http://localhost:5173,http://127.0.0.1:${port}`,
  };
  const child = spawnPetstore(['demo', '--port', '0', '--log-level', 'silent'], settings);
  const output = collect(child.stdout);
  const welcome = await eventually(output, (text) => KEY.test(text));
  const url = /http:\/\/[\d.]+:\d+/.exec(welcome)?.[0] ?? '';
  const key = KEY.exec(welcome)?.[0] ?? '';
  const path = commandsIn(folder.file('bin'));
  // Readers work in an empty folder beside the checkout.
  symlinkSync(ROOT, folder.file('petstore'));
  let folders = 0;

  function inEmptyFolder(): GuideShop {
    const work = folder.file(`work-${++folders}`);
    mkdirSync(work);
    const file = (name: string) => join(work, name);
    // Readers create this file in the first guide; the other guides use it.
    const headers = `Authorization: Bearer ${key}\n`;
    writeFileSync(file('petstore.headers'), headers, { mode: 0o600 });
    return {
      url,
      key,
      file,
      fill: (text) =>
        text
          .replaceAll('http://127.0.0.1:8080', url)
          .replaceAll('http://127.0.0.1:3000', `http://127.0.0.1:${port}`)
          .replaceAll(/petstore_live_…/g, key),
      untilIllustrated: () => untilIllustrated(url, key),
      installClient(installed) {
        cpSync(installed, file('node_modules/petstore-client'), { recursive: true });
      },
      async run(command, signal) {
        const { PATH = '' } = process.env;
        const program = Bun.spawn([...command], {
          cwd: work,
          ...(signal && { signal }),
          env: {
            ...settings,
            PORT: port,
            PATH: `${path}:${PATH}`,
            HOME: folder.path,
            ...NPM,
            PETSTORE_API_KEY: key,
          },
          // The reader pastes the key when asked for it.
          stdin: new Blob([`${key}\n`]),
          stdout: 'pipe',
          stderr: 'pipe',
        });
        const [exitCode, stdout, stderr] = await Promise.all([
          program.exited,
          program.stdout.text(),
          program.stderr.text(),
        ]);
        return { exitCode, stdout, stderr };
      },
      inEmptyFolder,
      [Symbol.asyncDispose]: async () => {},
    };
  }

  return {
    ...inEmptyFolder(),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
      folder[Symbol.dispose]();
    },
  };
}

/** Collects the text of a stream. */
function collect(stream: ReadableStream<Uint8Array>): () => string {
  let text = '';
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })();
  return () => text;
}

/** Creates a folder for PATH whose `petstore` runs this checkout, and whose `python3` has packages. */
function commandsIn(folder: string): string {
  mkdirSync(folder);
  const command = (name: string, program: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\nexec ${program} "$@"\n`);
    chmodSync(join(folder, name), 0o755);
  };
  command('petstore', `'${process.execPath}' '${MAIN}'`);
  const found = Bun.which(python);
  if (found !== null) command('python3', `'${found}'`);
  return folder;
}
