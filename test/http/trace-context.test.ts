import { describe, expect, test } from 'bun:test';
import { joinTrace } from '../../src/api/pipeline/request-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('a traceparent', () => {
  test.each([
    [`00-${TRACE}-${PARENT}-00`, '00'],
    [`00-${TRACE}-${PARENT}-01`, '00'],
    [`00-${TRACE}-${PARENT}-03`, '02'],
    [`00-${TRACE}-${PARENT}-ff`, '02'],
    [`01-${TRACE}-${PARENT}-00`, '00'],
    [`cc-${TRACE}-${PARENT}-02-and-what-comes-later`, '02'],
  ])('%s is joined; the flags returned are %s', (sent, flags) => {
    const trace = joinTrace(sent);
    expect(trace?.traceId).toBe(TRACE);
    expect(trace?.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(trace?.response).toBe(`00-${TRACE}-${trace?.spanId}-${flags}`);
  });

  test('gets another span id for each request', () => {
    const [one, other] = [1, 2].map(() => joinTrace(`00-${TRACE}-${PARENT}-01`)?.spanId);
    expect(one).not.toBe(other);
  });

  test.each([
    '',
    TRACE,
    `ff-${TRACE}-${PARENT}-01`,
    `0-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}-01-`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}-0g`,
    `00-${TRACE}-${PARENT}`,
    `01-${TRACE}-${PARENT}-01more`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
    `00_${TRACE}_${PARENT}_01`,
  ])('like "%s" is ignored', (sent) => {
    expect(joinTrace(sent)).toBeUndefined();
  });
});
