import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { ConfigProblems, readConfig, unknownVariables } from '../../src/settings/config.ts';
import { readEnvFile } from '../../src/settings/env-file.ts';
import { settings } from '../../src/settings/settings.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const folder = forEachTest(() => createTemporaryFolder());

/** Writes a file and returns its path. */
function written(content: string | Uint8Array, name = 'value'): string {
  writeFileSync(folder.file(name), content);
  return folder.file(name);
}

describe('a setting in a file', () => {
  test.each(['9000', '9000\n', '9000\r\n', '9000\n\n'])('is its one line: %j', (content) => {
    expect(readConfig({}, { PETSTORE_PORT_FILE: written(content) }).port).toBe(9000);
  });

  test('gives way to a flag, and to nothing if a variable is empty', () => {
    const file = written('9000');
    expect(readConfig({ port: '7' }, { PETSTORE_PORT_FILE: '/nowhere' }).port).toBe(7);
    const variables = { PETSTORE_PORT: '', PETSTORE_PORT_FILE: file };
    expect(readConfig({}, variables).port).toBe(9000);
    expect(readConfig({}, { PETSTORE_PORT_FILE: '' }).port).toBe(8080);
  });

  test('that cannot be used is reported with its name, together with all others', () => {
    mkdirSync(folder.file('folder'));
    const variables = {
      PETSTORE_PORT: '9000',
      PETSTORE_PORT_FILE: written('9000', 'port'),
      PETSTORE_DATABASE_FILE: folder.file('missing'),
      PETSTORE_LIMITS_FILE: folder.file('folder'),
      PETSTORE_SMTP_FILE: written('', 'empty'),
      PETSTORE_HOST_FILE: written('a\nb', 'lines'),
      PETSTORE_NOTIFY_FILE: written('x'.repeat(64 * 1_024 + 1), 'large'),
      PETSTORE_MAIL_FROM_FILE: written(new Uint8Array([0xff]), 'bytes'),
      PETSTORE_PHOTOS_FILE: '/dev/zero',
      PETSTORE_ENVIRONMENT: 'test',
    };
    const read = () => readConfig({}, variables);
    expect(read).toThrow(ConfigProblems);
    // The variable may hold the secret itself.
    const unnamed = 'cannot be used: the file that it names';
    const at = (name: string) => `cannot be used: ${folder.file(name)}`;
    expect(read).toThrow(
      [
        `PETSTORE_DATABASE_FILE ${unnamed} cannot be read: ENOENT: no such file or directory.`,
        `PETSTORE_LIMITS_FILE ${unnamed} is no file.`,
        'PETSTORE_ENVIRONMENT must be one of production, staging (it is "test").',
        'PETSTORE_PORT and PETSTORE_PORT_FILE are both set: unset one, or leave it empty.',
        `PETSTORE_HOST_FILE ${at('lines')} has more than one line.`,
        `PETSTORE_PHOTOS_FILE ${unnamed} is no file.`,
        `PETSTORE_SMTP_FILE ${unnamed} is empty.`,
        `PETSTORE_NOTIFY_FILE ${at('large')} is larger than 64 KiB.`,
        `PETSTORE_MAIL_FROM_FILE ${at('bytes')} is no text in UTF-8.`,
      ].join('\n'),
    );
  });

  test.each(Object.values(settings))(
    'is not quoted if it is wrong, for $variable',
    ({ variable }) => {
      const file = written('wo/rd"x, wo/rd"x');
      try {
        readConfig({}, { [`${variable}_FILE`]: file });
      } catch (error) {
        expect(String(error)).toContain(`${variable}_FILE`);
        expect(String(error)).toEndWith(` (it is in ${file}).`);
        expect(String(error)).not.toContain('wo/rd');
      }
    },
  );

  test('has a name that no other setting has', () => {
    for (const { variable } of Object.values(settings)) expect(variable).not.toEndWith('_FILE');
  });

  test('with a misspelt name is reported', () => {
    expect(unknownVariables({ PETSTORE_DATABASE_FILE: 'x', PETSTORE_DATABSE_FILE: 'x' })).toEqual([
      { name: 'PETSTORE_DATABSE_FILE', nearest: 'PETSTORE_DATABASE_FILE' },
    ]);
  });
});

describe('a file of variables', () => {
  /** The values that systemd 252 gave to a unit with this `EnvironmentFile`. */
  test('is read as systemd reads it', () => {
    const lines = [
      '# comment',
      '  ; other',
      'A=plain',
      ' B =  spaced value  \t',
      'C="double \\"q\\" \\$x \\n \\\\ end"',
      'D=\'single "q" \\n\'',
      'E=it\'s "fine" # not a comment',
      'F=a\\ b\\\\c',
      'G=first \\',
      '  second',
      'H="multi',
      'line"',
      'I=\'one\' "two"three',
      'J=',
      'K=""',
      'L=x\\ ',
      'M="a\\',
      'b"',
      'N="q" plain tail  ',
      'O=a=b=c',
      'P=first',
      'P=über',
      'lower_case=1',
    ];
    const expected = {
      A: 'plain',
      B: 'spaced value',
      C: 'double "q" $x \\n \\ end',
      D: 'single "q" \\n',
      E: 'it\'s "fine" # not a comment',
      F: 'a b\\c',
      G: 'first   second',
      H: 'multi\nline',
      I: 'onetwothree',
      J: '',
      K: '',
      L: 'x ',
      M: 'ab',
      N: 'qplain tail',
      O: 'a=b=c',
      P: 'über',
      lower_case: '1',
    };
    for (const end of ['\n', '\r\n']) {
      const path = written(lines.join(end));
      const { H, ...variables } = readEnvFile(path).variables;
      expect({ ...variables, H: H?.replace('\r', '') }).toEqual(expected);
    }
    expect(readEnvFile(written('')).variables).toEqual({});
    expect(readEnvFile(written('A=1')).variables).toEqual({ A: '1' });
  });

  test('with wrong lines is refused with all of their numbers', () => {
    const path = written('A=1\nexport B=2\n\n"C=\\\n1"\nD\n1E=5\nF="open\nG=1\n');
    const read = () => readEnvFile(path);
    expect(read).toThrow(ConfigProblems);
    const line = (number: number, what: string) => `${path}, line ${number} ${what}.`;
    const neither = 'is neither NAME=value nor a comment';
    expect(read).toThrow(
      [2, 4, 5, 6, 7]
        .map((number) => line(number, neither))
        .concat(line(8, 'has a quote that does not end'))
        .join('\n'),
    );
  });

  test('that cannot be read is named', () => {
    const path = folder.file('missing');
    expect(() => readEnvFile(path)).toThrow(
      `${path} cannot be read: ENOENT: no such file or directory.`,
    );
  });
});
