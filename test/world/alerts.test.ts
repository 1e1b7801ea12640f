import { describe, setDefaultTimeout, test } from 'bun:test';
import { expectFiring, scrapedSeries } from '../examples/alert-rules.ts';

/* What must wake somebody, and what must not: values as promtool writes them, one a minute. */

setDefaultTimeout(180_000);

const HOURS = 120;
const request = (status: string, values: string) => ({
  series: scrapedSeries(`petstore_http_requests_total{status="${status}"}`),
  values,
});
const one = (name: string, values: string) => ({ series: scrapedSeries(name), values });
const DAYS = 3 * 1_440;
/** Rows erased from a table, and how many it had. */
function erasedOf(table: string, rows: number, values: string) {
  return [
    one(`petstore_erased_rows_total{asked="no",table="${table}"}`, values),
    one(`petstore_erased_table_rows{table="${table}"}`, `${rows}x119`),
  ];
}

describe.each([
  ['one failed call of the database', [], [one('petstore_storage_failures_total', '0x30 1x89')]],
  [
    'two, a quarter of an hour apart',
    [],
    [one('petstore_storage_failures_total', '0x30 1x14 2x74')],
  ],
  [
    'calls that fail in minute after minute',
    ['PetstoreDatabaseFailing'],
    [one('petstore_storage_failures_total', '0x30 1+1x89')],
  ],
  ['three planned restarts', [], [one('process_start_time_seconds', '1x30 2x4 3x4 4x79')]],
  [
    'a crash each two minutes',
    ['PetstoreRestarting'],
    [one('process_start_time_seconds', '1x30 2 2 3 3 4 4 5 5 6 6 7x79')],
  ],
  [
    'two failures of seven requests at night',
    [],
    [request('200', '100x30 103x3 105x85'), request('503', '0x30 1x3 2x85')],
  ],
  [
    'three 503 in seven minutes',
    [],
    [request('200', '100x30 104x3 108x85'), request('503', '0x30 1x3 2x2 3x82')],
  ],
  [
    'five of a hundred failing all the time',
    ['PetstoreFailing'],
    [request('200', '0+95x119'), request('500', '0x30 5+5x88')],
  ],
  [
    'a task that fails again and again',
    ['PetstoreTaskFails'],
    [one('petstore_task_failures{task="retention"}', '0x30 1+1x88')],
  ],
  [
    'a task that fails three times, and then works',
    [],
    [one('petstore_task_failures{task="backups"}', '0x30 1+1x2 0x86')],
  ],
  ['no target at all', ['PetstoreAbsent'], [one('up', '1x30 _x89')]],
  ['a target that is away for a scrape', [], [one('up', '1x30 0 1x88')]],
  ['a target that does not answer', ['PetstoreDown'], [one('up', '1x30 0x89')]],
  ['a service that is not ready', ['PetstoreNotReady'], [one('petstore_ready', '1x30 0x89')]],
  ['one that is not ready for a minute', [], [one('petstore_ready', '1x30 0 1x88')]],
  ['a shop that shrank by half', ['PetstoreShrunk'], [one('petstore_animals', '100x70 40x49')]],
  ['a shop that shrank by a tenth', [], [one('petstore_animals', '100x70 90x49')]],
  [
    'an hour in which much is erased',
    ['PetstoreErasesMuch'],
    [one('petstore_erased_rows_total{asked="no"}', '0x30 200+200x89')],
  ],
  ...(['events', 'orders', 'photo_files'] as const).map(
    (table) =>
      [
        `a tenth of ${table}`,
        ['PetstoreErasesTenth'],
        erasedOf(table, 500, '0x30 10x4 50x84'),
      ] as const,
  ),
  [
    'a channel that gets no file',
    ['PetstoreChannelStopped'],
    [one('petstore_channel_failures{channel="1",kind="csv"}', '0x30 1x89')],
  ],
  [
    'a channel that fails once',
    [],
    [one('petstore_channel_failures{channel="1",kind="csv"}', '0x30 1x5 0x84')],
  ],
  [
    'a channel that was disabled on request',
    [],
    [one('petstore_channel_failures{channel="1",kind="csv"}', '-1x119')],
  ],
  ['a twentieth of a table', [], erasedOf('events', 500, '0x30 10x4 25x84')],
  ['a tenth of a table over a day', [], erasedOf('events', 500, '0+0.03x119')],
  ['a tenth of a table of a few rows', [], erasedOf('enquiries', 40, '0x30 4x89')],
  ['a tenth of what is kept for a day', [], erasedOf('idempotent_results', 500, '0x30 50x89')],
  [
    'a tenth that somebody asked to erase',
    [],
    [
      one('petstore_erased_rows_total{asked="yes",table="events"}', '0x30 50x89'),
      one('petstore_erased_table_rows{table="events"}', '_x30 500x89'),
    ],
  ],
  [
    'much that somebody asked to erase',
    [],
    [one('petstore_erased_rows_total{asked="yes"}', '0x30 200+200x89')],
  ],
  [
    'damage that a check found',
    ['PetstoreDamaged'],
    [one('petstore_integrity_faults', '0x30 1x89')],
  ],
] as const)('%s', (_, alerts, input) => {
  test(alerts.length === 0 ? 'wakes nobody' : `fires ${alerts.join()}`, async () => {
    await expectFiring(input, HOURS, alerts);
  });
});

/** The same over days, of which each minute would take long. */
const expectOverDays = (
  input: Parameters<typeof expectFiring>[0],
  minutes: number,
  alerts: readonly string[],
) => expectFiring(input, minutes, alerts, '15m');

test('no backups for days, because none are configured, wake somebody, and configured ones nobody', async () => {
  await expectOverDays([], DAYS, ['PetstoreWithoutBackups']);
  const made = one('petstore_backup_last_success_timestamp_seconds', `0+60x${DAYS}`);
  await expectOverDays([made, one('petstore_backup_interval_seconds', `86400x${DAYS}`)], DAYS, []);
});

test('two missing backups wake somebody', async () => {
  const last = one('petstore_backup_last_success_timestamp_seconds', `0x${DAYS}`);
  await expectOverDays([last, one('petstore_backup_interval_seconds', `86400x${DAYS}`)], DAYS, [
    'PetstoreBackupOld',
  ]);
});

test('a database that was not checked for three days is told of, and one of this day is not', async () => {
  const made = [
    one('petstore_backup_last_success_timestamp_seconds', `0+60x${2 * DAYS}`),
    one('petstore_backup_interval_seconds', `86400x${2 * DAYS}`),
  ];
  const checked = (values: string) => one('petstore_integrity_check_timestamp_seconds', values);
  await expectOverDays([...made, checked(`0+60x${2 * DAYS}`)], 2 * DAYS, []);
  await expectOverDays([...made, checked(`0x${2 * DAYS}`)], 2 * DAYS, ['PetstoreNotChecked']);
});
