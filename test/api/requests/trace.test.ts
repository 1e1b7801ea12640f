import { expect, test } from 'bun:test';
import { eventually } from '../../support/eventually.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENT = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };

const petstore = forAllTests(() => startPetstore());

/** The line of the request with this id. */
async function lineOf(requestId: string): Promise<Record<string, unknown>> {
  const [line] = await eventually(
    () =>
      petstore.log.map((text) => JSON.parse(text)).filter((each) => each.requestId === requestId),
    ({ length }) => length > 0,
  );
  return line;
}

test.each([
  ['/v1/pets', 200],
  ['/v1/pets/999', 404],
  ['/livez', 200],
  ['/docs/guides', 200],
])('%s with a traceparent returns its trace', async (path, status) => {
  const { headers, ...response } = await petstore.reader.get(path, SENT);
  expect(response.status).toBe(status);
  expect(headers.get('traceresponse')).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
});

test('the line of the request has the ids that the response has', async () => {
  const requested = { ...SENT, 'x-request-id': 'traced' };
  const { headers } = await petstore.reader.get('/v1/pets', requested);
  const [, traceId, spanId] = headers.get('traceresponse')?.split('-') ?? [];
  expect(await lineOf('traced')).toMatchObject({ traceId, spanId });
});

test('without one, or with a malformed one, there is no trace', async () => {
  const malformed = { traceparent: `00-${TRACE}-0-01`, 'x-request-id': 'malformed' };
  for (const sent of [{ 'x-request-id': 'untraced' }, malformed]) {
    // The request after a traced one on the same path.
    await petstore.reader.get('/v1/pets', SENT);
    const { headers } = await petstore.reader.get('/v1/pets', sent);
    expect(headers.has('traceresponse')).toBe(false);
    expect(await lineOf(sent['x-request-id'])).not.toContainAnyKeys(['traceId', 'spanId']);
  }
});
