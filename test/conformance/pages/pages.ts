import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WHOLE } from '../../adopt/shelter.ts';
import { chromiumPath } from '../../support/browser.ts';
import { picture } from '../../support/pictures.ts';
import type { ConformanceSuite, SuiteContext } from '../suite.ts';
import { mustRun, runTool } from '../tools.ts';

const TSC = join(import.meta.dir, '../../../node_modules/.bin/tsc');
const LANGUAGES = ['en', 'de', 'es'];

type Service = SuiteContext['service'];

async function call({ url, key }: Service, method: string, path: string, body: unknown) {
  const isFile = body instanceof Uint8Array;
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': isFile ? 'image/jpeg' : 'application/json',
    },
    body: isFile ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return await response.json();
}

/** Fills a shelter, and returns the paths of its pages. */
async function fill(service: Service): Promise<readonly string[]> {
  const send = (method: string, path: string, body: unknown) => call(service, method, path, body);
  await send('PATCH', '/shop', {
    ...{ name: 'A & B', address: 'Way 1\n8000 Town', telephone: '+41 44 555 01 02' },
    ...{ email: 'a@shelter.example', hours: 'Mon\nTue', howToAdopt: 'One.\n\nTwo.' },
    ...{ language: 'en', links: [{ label: 'Volunteer', url: 'https://shelter.example/help' }] },
  });
  const ids: number[] = [];
  for (const [name, profile, photos] of [
    ['Rex & <Co>', WHOLE, 3],
    ['Zoë', { species: 'cat' }, 0],
    ['Ώνυξ', { species: 'rabbit', goodWithChildren: 'yes' }, 1],
    ['Luna', WHOLE, 0],
  ] as const) {
    const { id } = (await send('POST', '/pets', { name, categoryId: 1, status: 'available' })) as {
      id: number;
    };
    await send('PATCH', `/pets/${id}/profile`, { published: true, species: 'dog', ...profile });
    for (let n = 0; n < photos; n++) {
      await send('POST', `/pets/${id}/photos`, await picture(640, 480, 'jpeg', id * 9 + n));
    }
    ids.push(id);
  }
  const [rex, zoe, onyx, luna] = ids;
  await send('PATCH', `/pets/${luna}`, { status: 'sold' });
  await send('PATCH', `/pets/${zoe}`, { status: 'pending' });
  const plain = [
    ...['/adopt', '/adopt?species=cat&sort=name', '/adopt?q=nothing-like-this&sex=female'],
    ...['/adopt?species=x', '/adopt/nowhere', `/adopt/${rex}/rex-co`, `/adopt/${zoe}/zoe`],
    ...[`/adopt/${onyx}/onyx`, `/adopt/${luna}/luna`, `/adopt/${rex}/card`],
    ...[`/adopt/${rex}/enquiry`, `/adopt/${rex}/thanks`],
  ];
  return plain.flatMap((path) =>
    LANGUAGES.map((language) => `${path}${path.includes('?') ? '&' : '?'}lang=${language}`),
  );
}

const textOf = async (address: string) => await (await fetch(address)).text();

/** Files of every page, for a tool that reads files. */
async function pageFiles({ service, tools }: SuiteContext): Promise<readonly string[]> {
  const paths = await fill(service);
  const files = paths.map((_, n) => join(tools.work, `page-${n}.html`));
  for (const [n, path] of paths.entries()) {
    writeFileSync(files[n] ?? '', await textOf(service.url + path));
  }
  return files;
}

const nuChecker: ConformanceSuite = {
  name: 'the Nu HTML checker on the public pages',
  async check(context) {
    const files = await pageFiles(context);
    const jar = join(context.tools.work, '../node_modules/vnu-jar/build/dist/vnu.jar');
    await mustRun(['java', '-jar', jar, '--stdout', ...files], context.tools.work);
    return `${files.length} pages without errors`;
  },
};

const links: ConformanceSuite = {
  name: 'linkinator on the public pages',
  async check({ service, tools }) {
    await fill(service);
    // Others' sites are not asked, and neither is what a machine without a network cannot reach.
    const skip = `^(?!${service.url})`;
    const command = [...tools.npm('linkinator'), `${service.url}/adopt`, '--recurse'];
    const more = ['--concurrency', '4', '--skip', skip, '--format', 'json'];
    const output = await mustRun([...command, ...more], tools.work);
    const found = JSON.parse(output.slice(output.indexOf('{')));
    if (found.passed !== true) throw new Error(output);
    return `${found.links.length} links`;
  },
};

const JSON_LD = /<script type="application\/ld\+json">(.*?)<\/script>/gs;

const structuredData: ConformanceSuite = {
  name: 'schema.org types on the public pages',
  async check({ service, tools }) {
    const found: string[] = [];
    for (const path of await fill(service)) {
      const text = await textOf(service.url + path);
      found.push(...[...text.matchAll(JSON_LD)].map(([, data = '']) => data));
    }
    const checked = found.map((data) => `  ${data} satisfies Graph,`).join('\n');
    const file = join(tools.work, 'structured-data.ts');
    writeFileSync(
      file,
      `import type { Graph } from 'schema-dts';\nexport const all = [\n${checked}\n];\n`,
    );
    await mustRun(
      [TSC, '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', file],
      tools.work,
    );
    return `${found.length} pages with data of known types`;
  },
};

const feed: ConformanceSuite = {
  name: 'feedparser on the feed of the public pages',
  async check({ service, tools }) {
    await fill(service);
    const script = join(import.meta.dir, 'feed.py');
    const counts: string[] = [];
    for (const query of ['', '?lang=de', '?species=dog', '?species=fish']) {
      const address = `${service.url}/adopt/feed.xml${query}`;
      counts.push((await mustRun([tools.python('python3'), script, address], tools.work)).trim());
    }
    return `feeds of ${counts.join(', ')} entries`;
  },
};

/** What Lighthouse must find without a fault. The form is not for search engines. */
const RATED: readonly (readonly [path: RegExp, categories: readonly string[]])[] = [
  [/^\/adopt\?lang=en$/, ['accessibility', 'best-practices', 'seo']],
  [/^\/adopt\/\d+\/rex-co\?lang=en$/, ['accessibility', 'best-practices', 'seo']],
  [/\/enquiry\?lang=en$/, ['accessibility', 'best-practices']],
];

interface LighthouseReport {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>;
  readonly audits: Readonly<Record<string, { readonly numericValue?: number }>>;
}

/** On a busy machine Lighthouse may miss the start of a page, and then asks to be run again. */
const AGAIN = /\(NO_NAVSTART\)/;
const RUNS_MAX = 4;

async function rate(command: readonly string[], folder: string): Promise<LighthouseReport> {
  const CHROME_PATH = chromiumPath();
  for (let run = 1; ; run++) {
    const { exitCode, output } = await runTool(command, folder, { CHROME_PATH });
    if (exitCode === 0) return JSON.parse(output);
    if (run === RUNS_MAX || !AGAIN.test(output)) throw new Error(output.slice(-2_000));
  }
}

const lighthouse: ConformanceSuite = {
  name: 'Lighthouse on the public pages, as a slow phone',
  async check({ service, tools }) {
    const paths = await fill(service);
    const flags = ['--quiet', '--chrome-flags=--headless --no-sandbox', '--output=json'];
    const found: string[] = [];
    for (const [pattern, wanted] of RATED) {
      const path = paths.find((each) => pattern.test(each)) ?? '';
      const command = [...tools.npm('lighthouse'), service.url + path, ...flags];
      const categories = `--only-categories=${wanted.join(',')},performance`;
      const report = await rate([...command, categories], tools.work);
      const numberOf = (audit: string) => report.audits[audit]?.numericValue ?? Number.NaN;
      const bad = wanted.filter((category) => report.categories[category]?.score !== 1);
      const shift = numberOf('cumulative-layout-shift');
      if (bad.length > 0 || !(shift < 0.01)) throw new Error(`${path}: ${bad}, shift ${shift}`);
      const seconds = (numberOf('largest-contentful-paint') / 1_000).toFixed(1);
      found.push(`${path} paints its largest part after ${seconds} s`);
    }
    return found.join('; ');
  },
};

export const pages: readonly ConformanceSuite[] = [
  ...[nuChecker, links, structuredData, feed],
  lighthouse,
];
