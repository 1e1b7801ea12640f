import { expect, test } from 'bun:test';
import { channelFindings } from '../../src/doctor/webhooks.ts';
import { keyMark } from '../../src/domain/secrets.ts';

const KEY = Buffer.alloc(32, 5);
const CHANNEL = {
  id: 2n,
  kind: 'csv',
  address: 'sftp://shop@files.example/in',
  disabledReason: null,
  ...{ failures: 0n, problem: null, mark: keyMark(KEY) },
} as const;
const said = (row: object, keys = [KEY.toString('base64')]) =>
  channelFindings([{ ...CHANNEL, ...row }], keys).map(
    ({ verdict, found }) => `${verdict}: ${found}`,
  );

test('channels that get their files, and those that do not', () => {
  expect(channelFindings([], [])).toEqual([]);
  expect(said({})).toEqual(['good: 1 channel gets its files.']);
  expect(said({ disabledReason: 'requested' })).toEqual(['good: 1 channel gets its files.']);
  expect(said({ disabledReason: 'sign_in' })).toEqual([
    'advice: Channel 2 (csv) gets no files: the place refuses the sign-in.',
  ]);
  expect(said({ failures: 3, problem: 'The disk is full.' })).toEqual([
    'advice: Channel 2 (csv) did not get its last file: The disk is full.',
  ]);
  expect(said({ address: 'ftp://shop@files.example/in' })).toEqual([
    'advice: Channel 2 (csv) sends its password in the clear (ftp).',
  ]);
  expect(said({}, [])).toEqual([
    'bad: PETSTORE_SECRET_KEY lacks the key for the password of Channel 2 (csv).',
  ]);
});
