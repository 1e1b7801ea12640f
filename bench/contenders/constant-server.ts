/** `bun constant-server.ts PORT FILE`: the simplest handler that returns the response in FILE. */
import type { ConstantResponse } from './constant.ts';

const [port, file = ''] = process.argv.slice(2);
// `writeConstant` wrote the file.
const { status, headers, body } = (await Bun.file(file).json()) as ConstantResponse;
const init = { status, headers };

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  fetch: () => new Response(body, init),
});
