import { expect, test } from 'bun:test';
import { createHistogram, writeExposition } from '../../src/telemetry/exposition.ts';
import { parseScrape } from '../support/scrape.ts';

test('a histogram counts each value in its bucket and in all that are wider', () => {
  const histogram = createHistogram([0.25, 1, 10]);
  for (const value of [0, 0.25, 0.26, 1, 9.5, 10.5, 1e9]) histogram.observe(value);
  const text = writeExposition([
    { name: 'a_seconds', help: 'Times.', type: 'histogram', samples: () => [[{}, histogram]] },
  ]);
  expect(text).toBe(`# HELP a_seconds Times.
# TYPE a_seconds histogram
a_seconds_bucket{le="0.25"} 2
a_seconds_bucket{le="1"} 4
a_seconds_bucket{le="10"} 5
a_seconds_bucket{le="+Inf"} 7
a_seconds_sum 1000000021.51
a_seconds_count 7
`);
  expect(parseScrape(text).get('a_seconds')?.samples.size).toBe(6);
});

test('the text stays valid for any label and help', () => {
  const text = writeExposition([
    {
      name: 'a_info',
      help: 'Back\\slash,\nnew line.',
      type: 'gauge',
      samples: () => [
        [{ says: 'a "word", a back\\slash,\na new line' }, Number.POSITIVE_INFINITY],
        [{ says: '' }, Number.NaN],
        [{ says: 'é' }, -0.5e-7],
      ],
    },
    { name: 'b_total', help: 'None yet.', type: 'counter', samples: () => [] },
  ]);
  expect(text).toBe(
    [
      '# HELP a_info Back\\\\slash,\\nnew line.',
      '# TYPE a_info gauge',
      'a_info{says="a \\"word\\", a back\\\\slash,\\na new line"} +Inf',
      'a_info{says=""} NaN',
      'a_info{says="é"} -5e-8',
      '# HELP b_total None yet.',
      '# TYPE b_total counter',
      '',
    ].join('\n'),
  );
  expect([...parseScrape(text).keys()]).toEqual(['a_info', 'b_total']);
});
