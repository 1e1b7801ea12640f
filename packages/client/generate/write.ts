/** `npm run openapi`: writes the part of the client that is made from openapi.json. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generate } from './generate.ts';

const document = await Bun.file(
  process.argv[2] ?? join(import.meta.dir, '../../../openapi.json'),
).json();
for (const [path, text] of generate(document)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
