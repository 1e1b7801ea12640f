/** `bun constant-server.ts PORT FILE`: the plainest handler that returns the answer in FILE. */
import type { ConstantResponse } from './constant.ts';

const [port, file = ''] = process.argv.slice(2);
// The file is what `writeConstant` wrote.
const { status, headers, body } = (await Bun.file(file).json()) as ConstantResponse;
const init = { status, headers };

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  fetch: () => new Response(body, init),
});
