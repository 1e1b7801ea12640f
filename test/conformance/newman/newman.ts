import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { picture } from '../../support/pictures.ts';
import type { ServiceUnderTest } from '../service.ts';
import type { ConformanceSuite } from '../suite.ts';
import { mustRun } from '../tools.ts';

const STAMP = /name="stamp" value="([^"]+)"/;

/** What newman reports of a run. */
interface Report {
  readonly run: {
    readonly stats: Readonly<Record<string, { readonly total: number; readonly failed: number }>>;
    readonly executions: readonly { readonly response?: unknown }[];
  };
}

/** Writes an enquiry as a visitor does, since no operation adds one. */
async function addEnquiry({ url, key }: ServiceUnderTest): Promise<void> {
  const send = async (method: string, path: string, body: object) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    return await fetch(`${url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
  };
  const { id } = (await (await send('POST', '/pets', { name: 'Rex', categoryId: 99 })).json()) as {
    readonly id: number;
  };
  await send('PATCH', `/pets/${id}/profile`, { species: 'dog', published: true });
  const form = `${url}/adopt/${id}/enquiry`;
  const [, stamp = ''] = STAMP.exec(await (await fetch(form)).text()) ?? [];
  const letter = { name: 'Robin', email: 'robin@example.com', message: 'May we visit?' };
  const body = new URLSearchParams({ ...letter, consent: 'yes', stamp });
  const sent = await fetch(form, { method: 'POST', body });
  if (!sent.ok) throw new Error(`The enquiry was refused: ${await sent.text()}`);
}

/** Runs every request of the collection that the service hands out, twice: a reader runs it again. */
export const newman: ConformanceSuite = {
  name: 'newman: the Postman collection in order',
  async check({ tools, service }) {
    const collection = await (await fetch(`${service.url}/client/postman.json`)).text();
    writeFileSync(join(tools.work, 'postman.json'), collection);
    writeFileSync(join(tools.work, 'photo.jpg'), await picture(60, 40));
    const wanted = collection.split('"request":').length - 1;
    const variables = ['--env-var', `apiKey=${service.key}`, '--working-dir', tools.work];
    const reported = ['--reporters', 'cli,json', '--reporter-json-export', 'newman.json'];
    let seen = '';
    for (let run = 0; run < 2; run++) {
      await addEnquiry(service);
      const command = ['node', ...tools.npm('newman').slice(1), 'run', 'postman.json'];
      await mustRun([...command, ...variables, ...reported, '--color', 'off'], tools.work);
      const report: Report = await Bun.file(join(tools.work, 'newman.json')).json();
      const { requests, assertions } = report.run.stats;
      if (requests?.total !== wanted || requests.failed + (assertions?.failed ?? 1) > 0) {
        throw new Error(`${requests?.total} of ${wanted} requests, ${JSON.stringify(assertions)}`);
      }
      seen = `${requests.total} requests, ${assertions?.failed} failures, twice`;
    }
    return seen;
  },
};
