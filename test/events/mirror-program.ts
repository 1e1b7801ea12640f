import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useClientSource } from '../client/source.ts';
import type { TemporaryFolder } from '../support/temporary.ts';

const GUIDE = join(import.meta.dir, '../../docs/guides/mirror.md');
const PROGRAM = /```js\n(.*?)```/s;
const IN_THE_GUIDE = 'http://127.0.0.1:8080';

/** The program of the guide "Mirror the shop", in a folder of its own. */
export interface MirrorProgram {
  /** Starts it, or continues where it was killed. */
  start(): void;
  kill(): Promise<void>;
  /** Returns what it has saved; undefined before its first save. */
  saved(): SavedMirror | undefined;
  /** Whether it ended by itself. */
  hasEnded(): boolean;
}

/** The records of each list, by id. */
export type MirroredRecords = Readonly<Record<'pet' | 'category' | 'order', object>>;

/** The file of the program. */
export interface SavedMirror {
  readonly position: number;
  readonly records: MirroredRecords;
}

/** Writes the program of the guide into a folder, for a server and a key. */
export function createMirrorProgram(
  folder: TemporaryFolder,
  url: string,
  key: string,
): MirrorProgram {
  const [, text] = PROGRAM.exec(readFileSync(GUIDE, 'utf8')) ?? [];
  if (text === undefined) throw new Error('the guide has no program');
  const path = folder.file('mirror.mjs');
  writeFileSync(path, text.replaceAll(IN_THE_GUIDE, url));
  useClientSource(folder);
  let child: Bun.Subprocess | undefined;

  return {
    start() {
      child = Bun.spawn([process.execPath, path], {
        cwd: folder.path,
        env: { PATH: process.env['PATH'] ?? '', PETSTORE_API_KEY: key },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    },
    async kill() {
      child?.kill('SIGKILL');
      await child?.exited;
    },
    saved() {
      try {
        return JSON.parse(readFileSync(folder.file('mirror.json'), 'utf8'));
      } catch {
        return undefined;
      }
    },
    hasEnded: () => child?.exitCode != null,
  };
}
