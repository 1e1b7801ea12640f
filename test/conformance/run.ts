import { assistants } from './assistants/assistants.ts';
import { clients } from './clients/clients.ts';
import { generators } from './generators/generators.ts';
import { linearizability } from './linearizability/linearizability.ts';
import { linters } from './lint/lint.ts';
import { manifests } from './manifests/manifests.ts';
import { newman } from './newman/newman.ts';
import { pages } from './pages/pages.ts';
import { prism } from './prism/prism.ts';
import { schemathesis } from './schemathesis/schemathesis.ts';
import { startServiceUnderTest } from './service.ts';
import { signatures } from './signatures/signatures.ts';
import type { ConformanceSuite, SuiteContext } from './suite.ts';
import { installTools } from './tools.ts';

/*
 * `npm run conformance`: checks the document and the service with tools that we did not write. A word chooses those with it
 * in their names: `npm run conformance -- generated` runs every generator of clients.
 * Ends with counts in the format of `bun test`, so that .ci/run can add them up.
 */

/** The groups run side by side, and the suites of a group one after the other. */
const GROUPS: readonly (readonly ConformanceSuite[])[] = [
  // The slowest by far.
  [schemathesis],
  [
    ...linters,
    ...clients,
    ...generators,
    signatures,
    newman,
    prism,
    manifests,
    ...pages,
    ...assistants,
    ...linearizability,
  ],
];

async function passes(
  { name, missing, check }: ConformanceSuite,
  context: SuiteContext,
): Promise<boolean> {
  const start = performance.now();
  const after = () => `[${((performance.now() - start) / 1_000).toFixed(1)} s]`;
  try {
    if (missing !== undefined) throw new Error(missing);
    const seen = await check(context);
    console.log(`(pass) ${name}: ${seen} ${after()}`);
    return true;
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : error}\n(fail) ${name} ${after()}`);
    return false;
  }
}

const [only = ''] = process.argv.slice(2);
const isChosen = ({ name, apart }: ConformanceSuite) =>
  name.toLowerCase().includes(only.toLowerCase()) && (only !== '' || apart !== true);
using tools = await installTools();
let passed = 0;
let failed = 0;

async function run(suites: readonly ConformanceSuite[]): Promise<void> {
  for (const suite of suites) {
    if (suite.missing !== undefined && !process.env['CI']) {
      console.log(`(skip) ${suite.name}: ${suite.missing}`);
      continue;
    }
    // In CI a failure counts only if it comes back.
    if ((await attempt(suite)) || (process.env['CI'] && (await attempt(suite)))) passed++;
    else failed++;
  }
}

/** Each attempt gets its own service, so that no suite sees data left by another. */
async function attempt(suite: ConformanceSuite): Promise<boolean> {
  await using service = await startServiceUnderTest();
  // Without `await` the service would end before the suite does.
  return await passes(suite, { tools, service });
}

if (!GROUPS.flat().some(isChosen)) {
  const names = GROUPS.flat().map(({ name }) => name);
  console.log(`No conformance suite has ${only} in its name: ${names.join('; ')}`);
  failed++;
}
await Promise.all(GROUPS.map((suites) => run(suites.filter(isChosen))));
console.log(`\n ${passed} pass\n ${failed} fail`);
process.exitCode = failed === 0 ? 0 : 1;
