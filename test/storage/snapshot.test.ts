import { expect, test } from 'bun:test';
import { differBy } from '../../src/storage/postgres/snapshot.ts';

test.each<[string, string, string, bigint, boolean]>([
  ['nothing', '10:10:', '10:10:', 5n, true],
  ['the transaction, of a number that was the next', '10:10:', '11:11:', 10n, true],
  ['the transaction, which was under way', '10:12:10', '12:12:', 10n, true],
  ['the transaction, while another one is under way', '10:10:', '10:12:10', 11n, true],
  ['the beginning of another one', '10:10:', '10:12:10', 11n, true],
  ['the transaction and another one', '10:10:', '12:12:', 10n, false],
  ['another one alone', '10:10:', '11:11:', 5n, false],
  ['another one that was under way', '10:12:10', '13:13:', 12n, false],
  ['another one, older than all that are under way', '8:12:8,10', '10:13:10', 12n, false],
  [
    'the transaction, of a number beyond 32 bits',
    '99999999999:99999999999:',
    '100000000000:100000000000:',
    99_999_999_999n,
    true,
  ],
  ['so much that it is not looked at', '10:10:', '2000:2000:', 10n, false],
])('between two snapshots ended %s', (_, earlier, later, xid, expected) => {
  expect(differBy(earlier, later, xid)).toBe(expected);
});
