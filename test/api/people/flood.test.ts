import { expect, setDefaultTimeout, test } from 'bun:test';
import { SECOND_MS } from '../../../src/domain/clock.ts';
import { openServer } from '../../../src/server/server.ts';
import { readConfig } from '../../../src/settings/config.ts';
import { openLog } from '../../../src/telemetry/log.ts';
import { addListed } from '../../support/enquiries.ts';
import { expectError } from '../../support/expect-error.ts';
import { addPerson, PASSWORD, signedIn } from '../../support/people.ts';
import { openRawConnection } from '../../support/raw-connection.ts';
import { startPetstore } from '../../support/start.ts';
import { createVisitor } from '../../support/visitor.ts';

// Each password takes a core for 50 ms and more, and the machine may be busy.
setDefaultTimeout(120_000);

const TRUSTED = { PETSTORE_TRUSTED_PROXIES: '127.0.0.1' };

test('a flood of wrong sign-ins keeps nobody else out, and few at a time are checked', async () => {
  await using petstore = await startPetstore({ settings: TRUSTED });
  const owner = await addPerson(petstore);
  const attempt = (n: number) =>
    createVisitor(() => petstore.url).post(
      '/console/session',
      // Half of them with the account of somebody, the others with any.
      { email: n % 2 === 0 ? owner.email : `stranger.${n}@example.org`, password: `wrong ${n}` },
      { 'x-forwarded-for': `198.51.100.${n % 100}` },
    );
  let isOver = false;
  const flood = Promise.all(Array.from({ length: 400 }, (_, n) => attempt(n))).then((answers) => {
    isOver = true;
    return answers.map(({ status }) => status);
  });
  // Requests of programs do not wait for passwords, and are not refused.
  let served = 0;
  while (!isOver) {
    expect((await petstore.reader.get('/v1/pets?limit=1')).status).toBe(200);
    served++;
  }
  const statuses = await flood;
  expect(new Set(statuses)).toEqual(new Set([401, 503]));
  expect(served).toBeGreaterThan(10);
  // The owner, elsewhere and at one of the addresses, which has sent four.
  await signedIn(petstore, owner);
  const here = await createVisitor(() => petstore.url).post(
    '/console/session',
    { email: owner.email, password: PASSWORD },
    { 'x-forwarded-for': '198.51.100.0' },
  );
  expect(here.status).toBe(204);
});

test('slow forms of visitors keep nobody in their network from signing in', async () => {
  await using petstore = await startPetstore();
  const owner = await addPerson(petstore);
  const head = `POST /adopt/${await addListed(petstore.storage)}/enquiry HTTP/1.1\r\nHost: petstore\r\n`;
  const type = 'Content-Type: application/x-www-form-urlencoded\r\n';
  using connections = new DisposableStack();
  const slowForm = () => {
    const connection = connections.use(openRawConnection(petstore.port));
    connection.write(`${head}${type}Content-Length: 100\r\n\r\na=`);
    return connection;
  };
  // More than there are places, even at two workers. A refusal says that all are taken.
  const forms = Array.from({ length: 120 }, slowForm);
  await Promise.any(
    forms.map(async (form) => {
      if ((await form.response())?.status !== 503) throw new Error('not refused');
    }),
  );
  await signedIn(petstore, owner);
});

test('sessions end at another instance within a second', async () => {
  await using petstore = await startPetstore();
  const settings = {
    PETSTORE_DATABASE: petstore.database.address,
    PETSTORE_PORT: '0',
    PETSTORE_OPS_PORT: 'off',
  };
  const { clock } = petstore;
  const config = readConfig({}, settings);
  const other = await openServer(config, { clock, log: openLog('silent') });
  try {
    const [changing, removed] = [await addPerson(petstore), await addPerson(petstore)];
    const sessions = [await signedIn(other, changing), await signedIn(other, removed)];
    for (const visitor of sessions) expect((await visitor.get('/v1/pets')).status).toBe(200);
    const here = await signedIn(petstore, changing);
    const change = { current: PASSWORD, password: 'another good password' };
    expect((await here.post('/console/password', change)).status).toBe(204);
    expect((await petstore.admin.delete(`/v1/people/${removed.id}`)).status).toBe(204);
    clock.advance(SECOND_MS);
    for (const visitor of sessions) expectError(await visitor.get('/v1/pets'), 'invalid_api_key');
    const cookie = here.cookie() ?? '';
    const visitor = createVisitor(() => other.url);
    expect((await visitor.get('/v1/pets', { cookie })).status).toBe(200);
  } finally {
    await other.close();
  }
});
