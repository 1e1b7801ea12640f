import type { AssetName } from '../assets.ts';
import { buildConsole } from './build.ts';

/** A file that the browser loads: from memory, or from the executable. */
export interface ConsoleFile {
  readonly name: AssetName;
  readonly gzip: Blob;
  readonly brotli: Blob;
}

/** Returns the files of the console. Builds them here; the executable contains the built ones. */
export async function consoleFiles(): Promise<readonly ConsoleFile[]> {
  const files = await buildConsole();
  return files.map(({ name, gzip, brotli }) => {
    return { name, gzip: new Blob([gzip]), brotli: new Blob([brotli]) };
  });
}
