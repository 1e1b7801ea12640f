import { clients } from './clients/clients.ts';
import { linearizability } from './linearizability/linearizability.ts';
import { linters } from './lint/lint.ts';
import { prism } from './prism/prism.ts';
import { schemathesis } from './schemathesis/schemathesis.ts';
import { startJudgedService } from './service.ts';
import type { Court, Judge } from './suite.ts';
import { installTools } from './tools.ts';

/*
 * `npm run conformance`: everybody who judges the document and the service without having been written
 * by us. Ends with the counts as `bun test` writes them, so that .ci/run adds them up.
 */

const JUDGES: readonly Judge[] = [...linters, ...clients, schemathesis, prism, ...linearizability];

/** Whether a judge is content. */
async function hear({ name, missing, judge }: Judge, court: Court): Promise<boolean> {
  const start = performance.now();
  const after = () => `[${((performance.now() - start) / 1_000).toFixed(1)} s]`;
  try {
    if (missing !== undefined) throw new Error(missing);
    const seen = await judge(court);
    console.log(`(pass) ${name}: ${seen} ${after()}`);
    return true;
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : error}\n(fail) ${name} ${after()}`);
    return false;
  }
}

const [only = ''] = process.argv.slice(2);
using tools = await installTools();
let passed = 0;
let failed = 0;
const chosen = JUDGES.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
if (chosen.length === 0) {
  console.log(`No judge has a name with ${only}: ${JUDGES.map(({ name }) => name).join('; ')}`);
  failed++;
}
for (const judge of chosen) {
  if (judge.missing !== undefined && !process.env['CI']) {
    console.log(`(skip) ${judge.name}: ${judge.missing}`);
    continue;
  }
  // A service for each, so that none meets what another one left behind.
  await using service = await startJudgedService();
  if (await hear(judge, { tools, service })) passed++;
  else failed++;
}
console.log(`\n ${passed} pass\n ${failed} fail`);
process.exitCode = failed === 0 ? 0 : 1;
