import { expect, test } from 'bun:test';
import { differBy } from '../../src/storage/postgres/snapshot.ts';

test.each<[string, string, string, bigint, boolean]>([
  ['nothing', '10:10:', '10:10:', 5n, true],
  ['the transaction, with the next unused id', '10:10:', '11:11:', 10n, true],
  ['the transaction, which was in progress', '10:12:10', '12:12:', 10n, true],
  ['the transaction, while another is in progress', '10:10:', '10:12:10', 11n, true],
  ['the transaction, while another has started', '10:10:', '10:12:10', 11n, true],
  ['the transaction and another', '10:10:', '12:12:', 10n, false],
  ['only another transaction', '10:10:', '11:11:', 5n, false],
  ['another transaction that was in progress', '10:12:10', '13:13:', 12n, false],
  ['another transaction, older than all in progress', '8:12:8,10', '10:13:10', 12n, false],
  [
    'the transaction, with an id beyond 32 bits',
    '99999999999:99999999999:',
    '100000000000:100000000000:',
    99_999_999_999n,
    true,
  ],
  ['too many transactions to compare', '10:10:', '2000:2000:', 10n, false],
])('between two snapshots ended %s', (_, earlier, later, xid, expected) => {
  expect(differBy(earlier, later, xid)).toBe(expected);
});
