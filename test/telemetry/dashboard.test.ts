import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { type Scrape, scrape } from '../support/scrape.ts';
import { startPetstore } from '../support/start.ts';

// It may have to start a database server.
setDefaultTimeout(60_000);

const dashboardSchema = z.object({
  panels: z.array(
    z.object({
      title: z.string().min(1),
      targets: z.array(z.object({ expr: z.string() })).default([]),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
    }),
  ),
  templating: z.object({ list: z.array(z.object({ name: z.string() })) }),
});

const alertsSchema = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.object({ summary: z.string().min(1), description: z.string().min(1) }),
        }),
      ),
    }),
  ),
});

const textOf = (name: string) =>
  readFileSync(join(import.meta.dir, '../../examples', name), 'utf8');
const { panels, templating } = dashboardSchema.parse(JSON.parse(textOf('grafana-dashboard.json')));
const alerts = alertsSchema
  .parse(parse(textOf('prometheus-alerts.yaml')))
  .groups.flatMap(({ rules }) => rules);

/** Every expression, by where it stands. */
const expressions = [
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }, i) => [`panel ${title} ${i + 1}`, expr] as const),
  ),
  ...alerts.map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
];

/** What Prometheus adds by itself. */
const OF_PROMETHEUS = ['up'];
const LABELS_OF_PROMETHEUS = ['instance', 'job', 'le'];
const SELECTOR = /\b(up|(?:petstore|process)_[a-z0-9_]+)\b(?:\{([^}]*)\})?/g;
const MATCHER = /(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g;
const GROUPING = /\bby \(([^)]*)\)/g;

let scraped: Scrape;
beforeAll(async () => {
  // A server that mails staff counts mails.
  const settings = {
    ...{ PETSTORE_SMTP: 'smtp://127.0.0.1:1', PETSTORE_NOTIFY: 'staff@example.com' },
  };
  await using petstore = await startPetstore({ settings });
  await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  await petstore.writer.get('/v1/pets');
  scraped = await scrape(petstore.metricsUrl);
});

/** The metric that a name in an expression is of; a histogram has three names. */
function metricOf(name: string) {
  const histogram = scraped.get(name.replace(/_(?:bucket|sum|count)$/, ''));
  return histogram?.type === 'histogram' ? histogram : scraped.get(name);
}

/** The names of the labels of these metrics, as far as the scrape shows them. */
function labelsOf(names: readonly string[]): Set<string> {
  const series = names.flatMap((name) => [...(metricOf(name)?.samples.keys() ?? [])]);
  const labels = series.flatMap((text) => [...text.matchAll(/[{,](\w+)="/g)]);
  return new Set([...LABELS_OF_PROMETHEUS, ...labels.map(([, label = '']) => label)]);
}

describe('the dashboard and the alerts', () => {
  test.each(expressions)('%s speaks of what a scrape shows', (_where, expression) => {
    const selectors = [...expression.matchAll(SELECTOR)];
    const names = selectors.map(([, name = '']) => name);
    expect(names).not.toEqual([]);
    for (const [, name = '', matchers = ''] of selectors) {
      if (OF_PROMETHEUS.includes(name)) continue;
      expect([name, metricOf(name) !== undefined]).toEqual([name, true]);
      // What no process has done yet is shown without samples, and so without labels.
      if (metricOf(name)?.samples.size === 0) continue;
      for (const [, label = ''] of matchers.matchAll(MATCHER)) {
        expect(labelsOf([name])).toContain(label);
      }
    }
    // What only another engine has is shown without samples, and so without labels.
    if (names.every((name) => metricOf(name)?.samples.size === 0)) return;
    for (const [, list = ''] of expression.matchAll(GROUPING)) {
      for (const label of list.split(',')) expect(labelsOf(names)).toContain(label.trim());
    }
  });

  test('show or use every metric that the service has', () => {
    const used = expressions.map(([, expression]) => expression).join(' ');
    for (const name of scraped.keys()) expect(used).toContain(name);
  });

  test('have panels side by side, under names of their own', () => {
    const titles = panels.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'instance']);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });
});
