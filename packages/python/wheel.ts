import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Zippable, zipSync } from 'fflate';
import facts from '../client/package.json';

const FOLDER = import.meta.dir;
const DISTRIBUTION = `petstore_client-${facts.version}`;
const INFO = `${DISTRIBUTION}.dist-info`;
/** The time of all files: a wheel must not depend on when it was made. ZIP has no time zone. */
const PACKED_AT = new Date(1985, 9, 26, 8, 15);

const METADATA = `Metadata-Version: 2.4
Name: petstore-client
Version: ${facts.version}
Summary: Reads and changes the animals of a Petstore service
License-Expression: ${facts.license}
Requires-Python: >=3.9
Requires-Dist: httpx>=0.27
`;
const WHEEL = `Wheel-Version: 1.0
Generator: petstore ${facts.version}
Root-Is-Purelib: true
Tag: py3-none-any
`;

/** The name of the wheel, as pip wants it. */
export const WHEEL_FILE = `${DISTRIBUTION}-py3-none-any.whl`;

/** Returns the Python client as pip installs it (the binary distribution format). */
export async function wheel(): Promise<Uint8Array> {
  const module = 'petstore_client/__init__.py';
  const texts: Record<string, string> = {
    [module]: await Bun.file(join(FOLDER, module)).text(),
    'petstore_client/py.typed': '',
    [`${INFO}/METADATA`]: METADATA,
    [`${INFO}/WHEEL`]: WHEEL,
    [`${INFO}/licenses/LICENSE`]: await Bun.file(join(FOLDER, '../client/LICENSE')).text(),
  };
  const record = `${INFO}/RECORD`;
  const lines = Object.entries(texts).map(([name, text]) => {
    const hash = createHash('sha256').update(text).digest('base64url');
    return `${name},sha256=${hash},${Buffer.byteLength(text)}\n`;
  });
  texts[record] = `${lines.join('')}${record},,\n`;
  const files: Zippable = {};
  for (const [name, text] of Object.entries(texts)) {
    files[name] = [new TextEncoder().encode(text), { mtime: PACKED_AT, level: 9, os: 3 }];
  }
  return zipSync(files);
}
