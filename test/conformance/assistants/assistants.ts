import type { ConformanceSuite } from '../suite.ts';
import { mustRun } from '../tools.ts';

/** The scenarios for servers whose tools are not made for tests. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'dns-rebinding-protection',
  'http-header-validation',
  // Warns that there are no sessions: the protocol has none any more.
  'server-sse-multiple-streams',
];
const RESULT = /Passed: (\d+)\/(\d+), 0 failed/;

/** The conformance suite of the Model Context Protocol. */
const protocol: ConformanceSuite = {
  name: 'Model Context Protocol',
  async check({ tools, service }) {
    let passed = 0;
    for (const scenario of SCENARIOS) {
      const command = [...tools.npm('conformance'), 'server', '--url', `${service.url}/mcp`];
      const output = await mustRun([...command, '--scenario', scenario], tools.work);
      const [, good = '0', all = '?'] = RESULT.exec(output) ?? [];
      if (good !== all) throw new Error(`${scenario}\n${output}`);
      passed += Number(good);
    }
    return `${SCENARIOS.length} scenarios, ${passed} checks`;
  },
};

/** The official client of 2025, which assistants will use for years. */
const olderClient: ConformanceSuite = {
  name: '@modelcontextprotocol/sdk',
  async check({ tools, service }) {
    const program = `
      import { Client } from '@modelcontextprotocol/sdk/client/index.js';
      import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
      const headers = { authorization: 'Bearer ${service.key}' };
      const transport = new StreamableHTTPClientTransport(new URL('${service.url}/mcp'), { requestInit: { headers } });
      const client = new Client({ name: 'conformance', version: '1' });
      await client.connect(transport);
      const { tools } = await client.listTools();
      const call = async (name, args = {}) => {
        const { content, isError } = await client.callTool({ name, arguments: args });
        if (isError) throw new Error(content[0].text);
        return JSON.parse(content[0].text);
      };
      const { id, version } = await call('add_animal', { name: 'Rex', categoryId: 1, species: 'dog' });
      await call('update_animal', { id, version, profile: { headline: 'Calm' }, published: true });
      const { animals } = await call('search_animals', { name: 'Rex' });
      if (animals[0].headline !== 'Calm') throw new Error(JSON.stringify(animals));
      for (const name of ['adoption_guide', 'shop_stats', 'todays_work']) await call(name);
      await client.close();
      console.log(tools.length + ' tools');`;
    const file = `${tools.work}/assistant.mjs`;
    await Bun.write(file, program);
    return (await mustRun(['node', file], tools.work)).trim();
  },
};

export const assistants: readonly ConformanceSuite[] = [protocol, olderClient];
