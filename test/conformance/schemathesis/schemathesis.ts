import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { ConformanceSuite } from '../suite.ts';
import { mustRun } from '../tools.ts';

const FILES = ['schemathesis.toml', 'hooks.py'];

/** Property-based tests generated from the document, against the running service. */
export const schemathesis: ConformanceSuite = {
  name: 'Schemathesis, all phases and checks',
  async check({ tools, service }) {
    for (const file of FILES) cpSync(join(import.meta.dir, file), join(tools.work, file));
    const command = [tools.python('schemathesis'), 'run', `${service.url}/openapi.json`];
    // Every check runs by default. `--checks=all` would override the file, which disables one for an operation.
    const output = await mustRun(command, tools.work, {
      PETSTORE_KEY: service.key,
      // Python warnings fail too, but only those about our hooks, not about libraries.
      PYTHONWARNINGS: 'default:::hooks',
    });
    const cases = /(\d+) generated, (\d+) passed/.exec(output);
    if (!output.includes('No issues found') || cases === null) throw new Error(output);
    return cases[0];
  },
};
