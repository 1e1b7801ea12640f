import { describe, expect, test } from 'bun:test';
import { runHere } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { forEachTest } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';
import { expectFailure } from './workspace.ts';

const petstore = forEachTest(() => startPetstore());

const check = (variables: Readonly<Record<string, string>> = {}, ...flags: readonly string[]) =>
  runHere(['healthcheck', ...flags], { PETSTORE_PORT: String(petstore.port), ...variables });

describe('petstore healthcheck', () => {
  test.each(['127.0.0.1', '0.0.0.0', 'localhost'])('finds the service on %s', async (host) => {
    const { exitCode, stdout, stderr } = await check({
      PETSTORE_HOST: host,
      // It is no setting, and no line more than the result is printed.
      PETSTORE_SERVICE_HOST: '10.0.0.1',
      HTTP_PROXY: 'http://127.0.0.1:1',
      http_proxy: 'http://127.0.0.1:1',
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^http:\/\/\S+\/readyz answers 200: \{"status":"ready",.*\}\n$/);
  });

  test('fails while the service is not ready, although it lives', async () => {
    await petstore.database.destroy();
    const failed = await eventually(check, ({ exitCode }) => exitCode !== 0);
    const reason = 'the database does not answer';
    expectFailure(failed, 1, new RegExp(`^petstore: http:\\S+ answers 503: .*${reason}.*\n$`));
    const alive = await check({}, '--live');
    expect(alive).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('/livez') });
  });

  test('fails where nothing answers, or where cannot be known', async () => {
    const port = String(await freePort());
    const silent = /^petstore: http:\/\/\[::1\]:\d+\/readyz does not answer: .+\n$/;
    expectFailure(await check({ PETSTORE_PORT: port, PETSTORE_HOST: '::' }), 1, silent);
    const unknown = /^petstore: PETSTORE_PORT is 0, so the port is not known: set it\.\n$/;
    expectFailure(await check({ PETSTORE_PORT: '0' }), 1, unknown);
  });

  test('fails where something else hangs', async () => {
    using hanging = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const late = /^petstore: http:\S+ does not answer: nothing came within 4 s\n$/;
    expectFailure(await check({ PETSTORE_PORT: String(hanging.port) }), 1, late);
  });
});
