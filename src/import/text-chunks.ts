import type { ImportFailure } from './failure.ts';

const ENCODING_NAMES = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
  'utf-16le': 'UTF-16',
} as const;

/** The encodings of text that an import reads. */
export type Encoding = keyof typeof ENCODING_NAMES;
export const ENCODINGS = Object.keys(ENCODING_NAMES);

/** Text that is not in the encoding that it should be in. */
export interface WrongEncoding {
  /** The name of that encoding. */
  readonly name: string;
  /** It starts with the byte-order mark of UTF-16. */
  readonly isUtf16: boolean;
}

/** The byte-order mark of UTF-16. These bytes never occur in UTF-8. */
const UTF_16_MARK = [0xff, 0xfe] as const;

/** Decodes bytes, without the byte-order mark. Throws what `refusal` returns for other encodings. */
export async function* decodedText(
  bytes: AsyncIterable<Uint8Array>,
  encoding: Encoding,
  refusal: (wrong: WrongEncoding) => ImportFailure,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let isUtf16 = false;
  let hasStarted = false;
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw refusal({ name: ENCODING_NAMES[encoding], isUtf16 });
    }
  };
  for await (const chunk of bytes) {
    if (!hasStarted) isUtf16 = UTF_16_MARK.every((byte, index) => chunk[index] === byte);
    hasStarted = true;
    yield decode(chunk);
  }
  yield decode();
}
