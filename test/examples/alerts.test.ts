import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { DAY_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { openServer } from '../../src/server/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { canMountSmallDisks, mountSmallDisk } from '../storage/small-disk.ts';
import { createCertificates } from '../support/certificates.ts';
import { type Client, createClient } from '../support/client.ts';
import { createTestClock } from '../support/clock.ts';
import { spawnPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { programPath } from '../support/program.ts';
import { openRawConnection, requestText } from '../support/raw-connection.ts';
import { parseScrape, sampleOf, scrape } from '../support/scrape.ts';
import { createServingKey, serving, UNLIMITED } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { expectFiring, RULES, scrapedSeries } from './alert-rules.ts';

setDefaultTimeout(60_000);

const MEBIBYTE = 1_048_576;
/** Minutes for which the service is well before it fails, and for which it then fails. */
const WELL_MIN = 1_500;
const FAILING_MIN = 60;
const REX = { name: 'Rex', categoryId: 1 };

/** The value of every series but those of histograms, at one moment. */
type Values = ReadonlyMap<string, number>;

/** Metrics that are a moment; 0 if it is not known. */
const TIMES: readonly string[] = [
  'petstore_tls_certificate_end_time_seconds',
  'petstore_backup_last_success_timestamp_seconds',
];

/** A scrape by a Prometheus whose clock shows `at` seconds when it is `now` for the service. */
async function valuesAt(url: string, now: number, at: number): Promise<Values> {
  const scraped = await scrape(url);
  const metrics = [...scraped].filter(([, { type }]) => type !== 'histogram');
  return new Map(
    metrics.flatMap(([name, { samples }]) =>
      [...samples].map(([series, value]) => {
        const isTime = TIMES.includes(name) && value > 0;
        return [series, isTime ? value - now / SECOND_MS + at : value] as const;
      }),
    ),
  );
}

interface Service extends AsyncDisposable {
  readonly client: Client;
  /** The metrics once the database has been measured. */
  values(at: number): Promise<Values>;
}

/** Serves a database in this process. */
async function serve(
  file: string,
  settings: Readonly<Record<string, string>> = {},
  now = Date.now(),
): Promise<Service> {
  const variables = { PETSTORE_DATABASE: `sqlite:${file}`, ...settings };
  const key = await createServingKey({ PETSTORE_DATABASE: `sqlite:${file}` }, ...UNLIMITED);
  const config = readConfig({ port: '0', opsPort: '0' }, variables);
  const log = openLog('silent', { write() {} });
  const server = await openServer(config, { log, clock: createTestClock(now) });
  const url = server.metricsUrl ?? '';
  return {
    client: createClient(() => server.url, key),
    async values(at) {
      await eventually(
        () => scrape(url),
        (scraped) => sampleOf(scraped, 'petstore_database_size_bytes') > 0,
      );
      const values = await valuesAt(url, now, at);
      // Files and memory are those of other tests too.
      return new Map([...values].filter(([series]) => !series.startsWith('process_')));
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Has promtool follow the rules while the service is well and then fails; it must find these alerts alone. */
async function expectAlerts(well: Values, failing: Values, alerts: readonly string[]) {
  const input = [...new Set([...well.keys(), ...failing.keys()])].map((name) => {
    const during = (value: number | undefined, minutes: number) =>
      value === undefined ? `_x${minutes}` : `${value.toFixed(6)}+0x${minutes - 1}`;
    return {
      series: scrapedSeries(name),
      values: `${during(well.get(name), WELL_MIN)} ${during(failing.get(name), FAILING_MIN)}`,
    };
  });
  await expectFiring(input, WELL_MIN + FAILING_MIN, alerts, '5m');
}

describe('the alerts', () => {
  const folder = createTemporaryFolder();
  let well: Values;
  beforeAll(async () => {
    await using service = await serve(folder.file('well.db'));
    await service.client.post('/v1/pets', REX);
    well = await service.values(0);
  });
  afterAll(() => folder[Symbol.dispose]());
  const FAILS_AT = WELL_MIN * 60;

  test('are rules that Prometheus takes, and none fires while all is well', async () => {
    const checked = Bun.spawnSync([programPath('prometheus', 'promtool'), 'check', 'rules', RULES]);
    expect(checked.stderr.toString()).toBe('');
    expect(checked.exitCode).toBe(0);
    await expectAlerts(well, well, []);
  });

  test.skipIf(!canMountSmallDisks)('tell of a disk that is full', async () => {
    using disk = mountSmallDisk(4_096);
    const file = join(disk.path, 'petstore.db');
    await createServingKey({ PETSTORE_DATABASE: `sqlite:${file}` }, ...UNLIMITED);
    const filler = join(disk.path, 'filler');
    writeFileSync(filler, Buffer.alloc(4 * MEBIBYTE - Bun.file(file).size - 250_000));
    await using service = await serve(file);
    const add = () => service.client.post('/v1/pets', { ...REX, name: 'x'.repeat(255) });
    for (let i = 0; i < 5_000 && (await add()).status === 201; i++);
    expect((await add()).text).toContain('disk of the database is full');
    const failing = await service.values(FAILS_AT);
    truncateSync(filler, 0);
    await expectAlerts(well, failing, ['PetstoreDiskLow', 'PetstoreDiskTight']);
  });

  test('tell of a database that grows', async () => {
    const file = folder.file('grows.db');
    await createServingKey({ PETSTORE_DATABASE: `sqlite:${file}` }, ...UNLIMITED);
    {
      using database = new Database(file);
      database.run('CREATE TABLE much AS SELECT zeroblob(?) AS bytes', [140 * MEBIBYTE]);
      database.run('DROP TABLE much');
    }
    await using service = await serve(file);
    await expectAlerts(well, await service.values(FAILS_AT), ['PetstoreDatabaseGrows']);
  });

  test('tell of a log that cannot be emptied', async () => {
    const file = folder.file('read.db');
    await createServingKey({ PETSTORE_DATABASE: `sqlite:${file}` }, ...UNLIMITED);
    using reader = new Database(file);
    reader.run('BEGIN');
    reader.query('SELECT count(*) FROM pets').get();
    using writer = new Database(file);
    writer.run('CREATE TABLE much AS SELECT zeroblob(?) AS bytes', [70 * MEBIBYTE]);
    writer.run('DROP TABLE much');
    await using service = await serve(file);
    await expectAlerts(well, await service.values(FAILS_AT), ['PetstoreDatabaseLogLarge']);
  });

  test('tell of a certificate that ends, and of a clock that jumped', async () => {
    using certificates = await createCertificates();
    const files = {
      PETSTORE_TLS_CERT: certificates.certificate,
      PETSTORE_TLS_KEY: certificates.key,
    };
    // It is valid for 30 days.
    const start = Date.now();
    const file = folder.file('tls.db');
    let valid: Values;
    {
      await using service = await serve(file, files, start + DAY_MS);
      valid = await service.values(0);
    }
    await using service = await serve(file, files, start + 20 * DAY_MS);
    const ending = await service.values(FAILS_AT);
    expect(ending.get('petstore_tls_certificate_end_time_seconds')).toBeWithin(
      FAILS_AT + (9 * DAY_MS) / SECOND_MS,
      FAILS_AT + (10 * DAY_MS) / SECOND_MS,
    );
    await expectAlerts(valid, ending, ['PetstoreCertificateEnds', 'PetstoreRetentionWaits']);
  });

  test('tell of backups that cannot be made', async () => {
    const file = folder.file('backed-up.db');
    const until = (service: Service, at: number, series: string) =>
      eventually(
        () => service.values(at),
        (values) => (values.get(series) ?? 0) !== 0,
      );
    let made: Values;
    {
      await using service = await serve(file, { PETSTORE_BACKUP: folder.path });
      made = await until(service, 0, 'petstore_backup_last_success_timestamp_seconds');
    }
    await expectAlerts(made, made, []);
    const missing = folder.file('not mounted');
    const settings = { PETSTORE_BACKUP: missing, PETSTORE_BACKUP_EVERY: '6h' };
    await using service = await serve(file, settings);
    const failing = await until(service, FAILS_AT, 'petstore_backup_failures_total');
    await expectAlerts(made, failing, ['PetstoreBackupOld']);
  });

  test('tell of memory that grows', async () => {
    const using = (mebibytes: number) =>
      new Map([...well, ['process_resident_memory_bytes', mebibytes * MEBIBYTE]]);
    await expectAlerts(using(300), using(500), ['PetstoreMemoryGrows']);
  });

  test('say that there is no backup, or how old the newest is', async () => {
    const labels = 'job="petstore",instance="shop"';
    const series = (name: string, value: number) => ({
      series: `${name}{${labels}}`,
      values: `${value}+0x100`,
    });
    using files = createTemporaryFolder();
    for (const [now, summary] of [
      [0, 'shop knows of no backup.'],
      [1_800_000_000 - 100_000, 'The newest backup that shop knows is 1d 3h 46m 40s old.'],
    ] as const) {
      // The clock of promtool begins at 0.
      const rule = parse(
        readFileSync(RULES, 'utf8').replaceAll('time()', '(1800000000 + 0 * time())'),
      );
      const rules = files.file('rules.yaml');
      writeFileSync(rules, stringify(rule));
      const input = [
        series('petstore_backup_last_success_timestamp_seconds', now),
        series('petstore_backup_interval_seconds', 3_600),
      ];
      const description = rule.groups[0].rules.find(
        ({ alert }: { alert: string }) => alert === 'PetstoreBackupOld',
      ).annotations.description;
      const expected = {
        eval_time: '30m',
        alertname: 'PetstoreBackupOld',
        exp_alerts: [
          {
            exp_labels: { job: 'petstore', instance: 'shop', severity: 'page' },
            exp_annotations: { summary: `${summary}`, description },
          },
        ],
      };
      const tests = {
        rule_files: [rules],
        evaluation_interval: '1m',
        tests: [{ interval: '1m', input_series: input, alert_rule_test: [expected] }],
      };
      const file = files.file('backup.test.yaml');
      writeFileSync(file, stringify(tests));
      const { stdout, stderr } = Bun.spawnSync([
        programPath('prometheus', 'promtool'),
        'test',
        'rules',
        file,
      ]);
      expect(`${stdout}${stderr}`).toContain('SUCCESS');
    }
  });

  test('tell of descriptors that run out', async () => {
    const settings = { PETSTORE_DATABASE: `sqlite:${folder.file('descriptors.db')}` };
    const key = await createServingKey(settings, ...UNLIMITED);
    const limited = ['sh', '-c', 'ulimit -n 150; exec "$@"', 'sh'];
    await using server = await serving(
      spawnPetstore(['serve', '--port', '0', '--ops-port', '0'], settings, limited),
      key,
    );
    const [, url = ''] = /^Metrics on (.*)$/m.exec(server.announced()) ?? [];
    using connections = new DisposableStack();
    let used = 0;
    while (used < 125) {
      const connection = connections.use(openRawConnection(server.port));
      connection.write(requestText('GET /livez', 'Host: x'));
      expect((await connection.response())?.status).toBe(200);
      const scraped = parseScrape(await (await fetch(url)).text());
      expect(sampleOf(scraped, 'process_max_fds')).toBe(150);
      used = sampleOf(scraped, 'process_open_fds');
    }
    const failing = await valuesAt(url, Date.now(), FAILS_AT);
    await expectAlerts(well, failing, ['PetstoreDescriptorsShort']);
  });
});
