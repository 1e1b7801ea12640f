import { describe, expect, test } from 'bun:test';
import { Failure } from '../../src/domain/failure.ts';
import { createFormFile } from '../../src/http/form-file.ts';

const BOUNDARY = '----form-Y7';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly text: string;
}

function form(...parts: readonly Part[]): Uint8Array {
  const text = parts.map(({ name, filename, type, text }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${typed}\r\n${text}\r\n`;
  });
  return Buffer.from(`${text.join('')}--${BOUNDARY}--\r\n`, 'utf8');
}

function read(parts: readonly Uint8Array[], type = TYPE): readonly string[] {
  const taken: Uint8Array[] = [];
  const file = createFormFile(type, (bytes) => taken.push(bytes));
  for (const part of parts) file.write(part);
  const name = file.end();
  return [name, Buffer.concat(taken).toString('utf8')];
}

function refusal(parts: readonly Uint8Array[], type?: string): Failure {
  try {
    throw new Error(`not refused: ${read(parts, type)}`);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

const FIELD: Part = { name: 'additionalMetadata', text: 'x'.repeat(200) };
const FILE: Part = { name: 'file', filename: 'Größe.csv', type: 'text/csv', text: 'a\r\n--b\r\n' };

describe('the file of a form', () => {
  test('is found wherever the form is cut, among fields that are ignored', () => {
    const bytes = form(FIELD, FILE, { name: 'after', text: '' });
    const expected = ['Größe.csv', 'a\r\n--b\r\n'];
    expect(read([bytes])).toEqual(expected);
    for (let at = 1; at < bytes.length; at++) {
      expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    }
    expect(read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  test.each(['name=""', 'nome="x"', 'name="\u0001"'])(
    'is found beside a part with %s',
    (disposition) => {
      const odd = `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\nodd\r\n`;
      expect(read([Buffer.from(odd), form(FILE)])).toEqual(['Größe.csv', 'a\r\n--b\r\n']);
    },
  );

  test.each<Part>([
    { name: 'upload', filename: 'a.csv', text: 'x' },
    { name: 'upload', type: 'application/octet-stream', text: 'x' },
    { name: 'file', text: 'x' },
    // As Bun writes a Blob.
    { name: 'upload', filename: '', text: 'x' },
  ])('may be the part %j', (part) => {
    expect(read([form(FIELD, part)])).toEqual([part.filename ?? '', 'x']);
  });

  test('is passed on while it arrives, and its reader may refuse it', () => {
    const bytes = form({ ...FILE, text: 'y'.repeat(500_000) });
    let most = 0;
    const file = createFormFile(TYPE, ({ length }) => {
      most += length;
      if (most > 100_000) throw new Failure('body_too_large', 'too large');
    });
    const writeAll = () => {
      for (let at = 0; at < bytes.length; at += 16_384) {
        file.write(bytes.subarray(at, at + 16_384));
      }
    };
    expect(writeAll).toThrow('too large');
    expect(most).toBeLessThan(120_000);
  });
});

describe('a form is refused', () => {
  test.each<readonly [string, Uint8Array, string]>([
    ['without a file', form(FIELD), 'no file'],
    ['without anything', Buffer.from(`--${BOUNDARY}--\r\n`), 'no file'],
    ['in which nobody chose a file', form({ name: 'file', filename: '', text: '' }), 'no file'],
    ['with two files', form(FILE, { ...FILE, name: 'other' }), 'two files'],
    ['that breaks off in a part', form(FIELD, FILE).subarray(0, -20), 'not complete'],
    ['that is no form', Buffer.from('name,status\nRex,available\n'), 'not complete'],
    ['that is empty', Buffer.from(''), 'not complete'],
  ])('%s', (_, bytes, problem) => {
    const failure = refusal([bytes]);
    expect(failure.code).toBe('invalid_body');
    expect(failure.message).toContain(problem);
  });

  test('if its type does not say what separates the parts', () => {
    const failure = refusal([form(FILE)], 'multipart/form-data');
    expect(failure.code).toBe('unsupported_media_type');
    expect(failure.message).toContain('boundary');
  });

  test('with a file name that is not encoded as it says', () => {
    const part = `Content-Disposition: form-data; name="file"; filename*=UTF-8''%E4%`;
    const text = `--${BOUNDARY}\r\n${part}\r\n\r\nx\r\n--${BOUNDARY}--\r\n`;
    expect(refusal([Buffer.from(text)]).code).toBe('invalid_body');
  });

  test('with headers that do not end', () => {
    const start = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${'n'.repeat(100_000)}`;
    expect(refusal([Buffer.from(start)]).code).toBe('invalid_body');
  });
});
