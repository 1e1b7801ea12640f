import { expect, test } from 'bun:test';
import { spawnPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { openRawConnection, type RawConnection, requestText } from '../support/raw-connection.ts';
import { createServingKey, serving } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const LIMIT = 150;
/** Far more than the limit allows; the others wait in the kernel. */
const CONNECTIONS = 400;
const BODY = '{"name":"Rex","categoryId":7}';
const SHORTAGE = 'there are no free file descriptors';

test('without free descriptors, accepted connections are served, and the log reports it once', async () => {
  using folder = createTemporaryFolder();
  using connections = new DisposableStack();
  const settings = { PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}` };
  const key = await createServingKey(settings, '--plan', 'business');
  const limited = ['sh', '-c', `ulimit -n ${LIMIT}; exec "$@"`, 'sh'];
  await using server = await serving(
    spawnPetstore(['serve', '--port', '0', '--idle-timeout', '4m'], settings, limited),
    key,
  );
  const fields = ['Host: x', `Authorization: Bearer ${key}`];
  const served: RawConnection[] = [];
  for (let i = 0; i < CONNECTIONS; i++) {
    const connection = connections.use(openRawConnection(server.port));
    connection.write(requestText('GET /livez', 'Host: x'));
    // Some never get a response, and end with the test.
    connection.response().then(
      (response) => response?.status === 200 && served.push(connection),
      () => {},
    );
  }
  await eventually(server.output, (output) => output.includes(SHORTAGE));
  const accepted = [...served];
  expect(accepted.length).toBeWithin(LIMIT / 2, LIMIT);

  for (let round = 0; round < 3; round++) {
    for (const connection of accepted) {
      connection.write(requestText('GET /v1/pets', ...fields));
      expect((await connection.response())?.status).toBe(200);
    }
    const [writer] = accepted;
    const length = `Content-Length: ${BODY.length}`;
    writer?.write(
      requestText('POST /v1/pets', ...fields, 'Content-Type: application/json', length) + BODY,
    );
    expect((await writer?.response())?.status).toBe(201);
  }
  connections.dispose();
  await eventually(
    () => server.client.get('/readyz'),
    ({ status }) => status === 200,
  );
  server.child.kill('SIGTERM');
  expect(await server.child.exited).toBe(0);
  expect(server.output().split(SHORTAGE)).toHaveLength(2);
  expect(await server.errors).toBe('');
}, 60_000);
