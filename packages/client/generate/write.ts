/** `npm run openapi`: writes the part of the client that is made from openapi.json. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FOLDER, generate } from './generate.ts';

const document = await Bun.file(
  process.argv[2] ?? join(import.meta.dir, '../../../openapi.json'),
).json();
const files = generate(document);
rmSync(FOLDER, { recursive: true, force: true });
for (const [path, text] of files) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
