import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_SERVERS } from '../../../src/api/openapi/pages.ts';
import { renderDocument } from '../../../src/api/openapi/renderings.ts';
import type { ConformanceSuite } from '../suite.ts';
import { runTool } from '../tools.ts';
import { openSwitchboard } from './switchboard.ts';

const ROOT = join(import.meta.dir, '../../..');
const FILE = 'openapi-for-prism.json';
/** The tests of operations. */
const TESTS = new Bun.Glob('resources/*.test.ts');
/** With fewer, the tests would have bypassed Prism. */
const REQUESTS_MIN = 3_000;

/** The end of its output that a failure shows, in characters. */
const TAIL = 2_000;

const LISTENING = /Prism is listening on (http:\/\/127\.0\.0\.1:\d+)/;
const RESPONSE_VIOLATION = /Violation: (response\b.*)/g;

/**
 * Prism in front of the servers of our own API tests. Only its findings about responses count: the
 * tests also send invalid requests on purpose, and Prism rewrites requests, so some tests get
 * unexpected responses and fail.
 */
export const prism: ConformanceSuite = {
  name: 'Prism in front of the API tests',
  async check({ tools }) {
    // Prism limits int64 to 53 bits and then refuses values that the bounds beside it allow.
    const document = renderDocument('json', EXAMPLE_SERVERS, true).replaceAll(
      /"format": "int64",?/g,
      '',
    );
    writeFileSync(join(tools.work, FILE), document.replaceAll(/,(\s*[}\]])/g, '$1'));
    using switchboard = await openSwitchboard();
    const command = [...tools.npm('prism'), 'proxy', FILE, `${switchboard.url}/v1`];
    const child = Bun.spawn([...command, '--port=0', '--cors=false'], {
      cwd: tools.work,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const log = watch(child.stdout);
    try {
      const url = await log.when(LISTENING);
      const files = [...TESTS.scanSync(join(ROOT, 'test/api'))].map((file) => `test/api/${file}`);
      const tests = ['--preload', join(import.meta.dir, 'preload.ts'), ...files];
      const ran = runTool([process.execPath, 'test', ...tests], ROOT, { PRISM_URL: url });
      // What comes after would pass it by, and be taken for good.
      const ended = child.exited.then(() => {
        throw new Error(`Prism ended before the tests\n${log.text().slice(-TAIL)}`);
      });
      await Promise.race([ran, ended]);
    } finally {
      child.kill();
      await child.exited;
    }
    const violations = [
      ...new Set(Array.from(log.text().matchAll(RESPONSE_VIOLATION), ([, v]) => v)),
    ];
    if (violations.length > 0) throw new Error(violations.join('\n'));
    const requests = log.text().split('Request received').length - 1;
    if (requests < REQUESTS_MIN) throw new Error(`Prism saw ${requests} requests\n${log.text()}`);
    return `${requests} requests, no response violation`;
  },
};

/** Collects the output of a process without colours. */
function watch(stream: ReadableStream<Uint8Array>) {
  let text = '';
  let wake = () => {};
  let open = true;
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += Bun.stripANSI(decoder.decode(chunk, { stream: true }));
      wake();
    }
    open = false;
    wake();
  })();
  return {
    text: () => text,
    /** Resolves to the first group of a pattern once the output matches it. */
    async when(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = pattern.exec(text)?.[1];
        if (found !== undefined) return found;
        if (!open) throw new Error(text);
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await Promise.race([promise, reading]);
      }
    },
  };
}
