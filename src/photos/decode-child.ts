import { fstatSync, readSync } from 'node:fs';
import { yieldToOthers } from '../child/own-program.ts';
import { type Frames, framesOf, type Unusable } from './frames.ts';

/** The parent ends this process earlier, unless it has ended itself. */
const LAST_MS = 60_000;

/** What the process writes first, as a line of JSON. The bytes of the frames follow, in their order. */
export type Header =
  | Unusable
  | {
      readonly width: number;
      readonly height: number;
      readonly frames: readonly {
        readonly format: string;
        readonly width: number;
        readonly bytes: number;
      }[];
    };

/** Decodes the photo on its standard input, which is a file, and writes what is made of it. */
export async function decodePhoto(): Promise<void> {
  setTimeout(() => process.exit(1), LAST_MS).unref();
  yieldToOthers();
  const made = await framesOf(readInput());
  const isMade = 'frames' in made;
  const parts = isMade ? made.frames.map(({ bytes }) => bytes) : [];
  const line = Buffer.from(`${JSON.stringify(isMade ? headerOf(made) : made)}\n`);
  await Bun.write(Bun.stdout, Buffer.concat([line, ...parts]));
}

function headerOf({ width, height, frames }: Frames): Header {
  const listed = frames.map((frame) => ({ ...frame, bytes: frame.bytes.length }));
  return { width, height, frames: listed };
}

/** Reads by position: the file was just written, so its own position is the end. */
function readInput(): Uint8Array {
  const bytes = Buffer.alloc(fstatSync(0).size);
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(0, bytes, at, bytes.length - at, at);
    if (read === 0) break;
    at += read;
  }
  return bytes;
}
