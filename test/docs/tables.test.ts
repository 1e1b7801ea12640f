import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCOPES } from '../../src/domain/api-key.ts';
import { CHANGE_TYPES } from '../../src/domain/change-log.ts';
import { FAILURE_STATUS } from '../../src/domain/failure.ts';
import { PLAN_NAMES } from '../../src/domain/plan.ts';

const guide = (name: string) =>
  readFileSync(join(import.meta.dir, '../../docs/guides', name), 'utf8');

/** Returns the words in code of the first column of the table with this heading, as often as they are there. */
function wordsOf(name: string, heading: string): readonly string[] {
  const lines = guide(name).split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  const end = lines.findIndex((line, n) => n > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).flatMap((line) => {
    const [, cell = ''] = line.split('|');
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
  });
}

const sorted = (words: readonly string[]) => [...words].sort();

/** The kinds of records that a mirror keeps, and the event that makes it start again. */
const MIRRORED = /^(?:pet|category|order|store)\./;

describe('a table in a guide has each word that the service knows, once, and no other', () => {
  test('events: their types', () => {
    expect(sorted(wordsOf('events.md', 'type'))).toEqual(sorted(CHANGE_TYPES));
  });

  test('mirror: the types of what it keeps', () => {
    const types = CHANGE_TYPES.filter((type) => MIRRORED.test(type));
    expect(sorted(wordsOf('mirror.md', 'event'))).toEqual(sorted(types));
  });

  test('authentication: the scopes', () => {
    expect(wordsOf('authentication.md', 'Scope')).toEqual([...SCOPES]);
  });

  test('errors: the codes, under their status', () => {
    const headings = [...guide('errors.md').matchAll(/^(?:## (\d+) .*|### ([a-z_]+))$/gm)];
    let status = 0;
    const found = headings.flatMap(([, group, code]) => {
      if (group !== undefined) status = Number(group);
      return code === undefined ? [] : [`${status} ${code}`];
    });
    const known = Object.entries(FAILURE_STATUS).map(([code, of]) => `${of} ${code}`);
    expect(sorted(found)).toEqual(sorted(known));
  });

  test('limits: the plans', () => {
    const plans = [
      ...guide('limits.md').matchAll(/^\| (\w+) \| [\d,]+ \||^\| (\w+) \| as agreed/gm),
    ].map(([, plan, other]) => plan ?? other ?? '');
    expect(plans.map((plan) => plan.toLowerCase())).toEqual([...PLAN_NAMES]);
  });

  test('authentication: codes and their status', () => {
    for (const [, status, code = ''] of guide('authentication.md').matchAll(
      /^\| (\d+) \| \[`([a-z_]+)`\]/gm,
    )) {
      expect([code, Number(status)]).toEqual([code, FAILURE_STATUS[code as 'conflict']]);
    }
  });
});
