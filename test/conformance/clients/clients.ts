import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConformanceSuite } from '../suite.ts';
import { mustRun, type Tools } from '../tools.ts';
import { type ClientStyle, openapiFetch, orval, roundTripProgram } from './round-trip-program.ts';

const HERE = import.meta.dir;
const TSC = join(HERE, '../../../node_modules/.bin/tsc');
const DOCUMENT = 'openapi-3.0.json';
const LIBRARIES = 'es2023,dom,dom.iterable';

/**
 * Paths that the programs do not call: the bodies of imports and photos are files, which
 * openapi-python-client does not support, people add enquiries on the public pages, no operation adds
 * a delivery that could be retried, an animal that is there cannot be restored nor come again, a report needs two
 * days, only a completed adoption can be returned, and a channel holds back a file without animals.
 */
const LEFT_OUT = [
  '/pets/{petId}/restore',
  '/pets/{petId}/stays',
  '/pets/{petId}/stays/{stayId}',
  '/reports/stays',
  '/store/orders/{orderId}/return',
  '/pets/{petId}/photos',
  '/pets/{petId}/photos/{photoId}',
  '/channels/{channelId}/send',
  '/imports',
  '/imports/{importId}',
  '/enquiries/{enquiryId}',
  '/enquiries/{enquiryId}/order',
  '/webhooks/{webhookId}/deliveries/{deliveryId}/retry',
];

/** Saves the document of the running service for the generators. */
async function fetchDocument({ work }: Tools, url: string): Promise<void> {
  const response = await fetch(`${url}/${DOCUMENT}`);
  const document: { paths: Record<string, unknown> } = JSON.parse(await response.text());
  for (const path of LEFT_OUT) {
    if (!(path in document.paths)) throw new Error(`The document has no ${path}`);
    delete document.paths[path];
  }
  writeFileSync(join(work, DOCUMENT), JSON.stringify(document));
}

/** Generates a client for TypeScript, compiles a program that calls every operation, and runs it. */
function typescript(
  name: string,
  style: ClientStyle,
  generate: (tools: Tools) => Promise<unknown>,
): ConformanceSuite {
  return {
    name,
    async check({ tools, service }) {
      const { work } = tools;
      await fetchDocument(tools, service.url);
      await generate(tools);
      const text = await Bun.file(join(work, DOCUMENT)).text();
      const program = roundTripProgram(text, style);
      writeFileSync(join(work, 'round-trip.ts'), program.text);
      const options = ['--strict', '--noUncheckedIndexedAccess', '--noEmit', '--types', ''];
      const modules = ['--module', 'preserve', '--target', 'es2023', '--lib', LIBRARIES];
      await mustRun([TSC, ...options, ...modules, 'round-trip.ts'], work);
      await mustRun([process.execPath, 'round-trip.ts'], work, {
        PETSTORE_URL: `${service.url}/v1`,
        PETSTORE_KEY: service.key,
      });
      return `${program.operationIds.length} operations: ${program.operationIds.join(', ')}`;
    },
  };
}

const withOpenapiFetch = typescript(
  'openapi-typescript and openapi-fetch under tsc --strict',
  openapiFetch,
  (tools) => {
    const command = [...tools.npm('openapi-typescript'), DOCUMENT, '--output=schema.ts'];
    return mustRun(command, tools.work);
  },
);

const withOrval = typescript('orval under tsc --strict', orval, (tools) => {
  cpSync(join(HERE, '../generators/orval'), tools.work, { recursive: true });
  return mustRun(tools.npm('orval'), tools.work);
});

const python: ConformanceSuite = {
  name: 'openapi-python-client',
  async check({ tools, service }) {
    const { work } = tools;
    await fetchDocument(tools, service.url);
    // The generator formats its output with a program from the path.
    const PATH = `${join(tools.python('.'))}:${process.env['PATH']}`;
    const generate = ['generate', '--fail-on-warning', '--meta=none', `--path=${DOCUMENT}`];
    const command = [tools.python('openapi-python-client'), ...generate];
    await mustRun([...command, '--output-path=petstore_client', '--overwrite'], work, { PATH });
    cpSync(join(HERE, 'round_trip.py'), join(work, 'round_trip.py'));
    const trip = [tools.python('python'), '-W', 'error', 'round_trip.py'];
    const output = await mustRun([...trip, DOCUMENT, `${service.url}/v1`, service.key], work);
    return output.trim();
  },
};

/** Clients that are generated from the document, each calling every operation. */
export const clients: readonly ConformanceSuite[] = [withOpenapiFetch, withOrval, python];
