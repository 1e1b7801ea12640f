import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forEachTest } from '../support/lifetime.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dir, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { version } = JSON.parse(read('package.json'));
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;

const folder = forEachTest(() => createTemporaryFolder());

/** Packs a small program that prints this version. */
async function pack(version: string) {
  const executable = folder.file('built');
  await Bun.write(executable, `#!/bin/sh\necho '${version} (0123456789ab)'\n`);
  return await Bun.$`chmod +x ${executable} && ${ROOT}/.ci/pack ${folder.file('release')} ${executable}`
    .nothrow()
    .quiet();
}

test('an executable is packed with the licence, the notices, the SBOM and the unit', async () => {
  const { exitCode, stdout } = await pack(version);
  expect(exitCode).toBe(0);
  const name = `petstore-${version}-linux-${process.arch}`;
  const archive = folder.file(`release/${name}.tar.gz`);
  const deb = folder.file(`release/petstore_${version}_${architecture}.deb`);
  expect(stdout.toString()).toBe(`${archive}\n${deb}\n`);
  expect(
    (await Bun.$`sha256sum --check SHA256SUMS`.cwd(folder.file('release')).quiet()).exitCode,
  ).toBe(0);

  const listed = await Bun.$`tar --list --verbose --file ${archive}`.text();
  const entries = listed
    .trim()
    .split('\n')
    .map((line) => line.split(/ +/));
  expect(entries.map(([mode, owner, ...rest]) => [mode, owner, rest.at(-1)])).toEqual([
    ['drwxr-xr-x', '0/0', `${name}/`],
    ['-rw-r--r--', '0/0', `${name}/LICENSE`],
    ['-rw-r--r--', '0/0', `${name}/THIRD-PARTY-NOTICES.txt`],
    ['-rwxr-xr-x', '0/0', `${name}/petstore`],
    ['-rw-r--r--', '0/0', `${name}/petstore.cdx.json`],
    ['-rw-r--r--', '0/0', `${name}/petstore.service`],
  ]);

  await Bun.$`tar --extract --file ${archive} --directory ${folder.path}`;
  const unpacked = (file: string) => readFileSync(folder.file(`${name}/${file}`), 'utf8');
  expect(unpacked('LICENSE')).toBe(read('LICENSE'));
  expect(unpacked('THIRD-PARTY-NOTICES.txt')).toBe(read('THIRD-PARTY-NOTICES.txt'));
  expect(unpacked('petstore.service')).toBe(read('examples/petstore.service'));
  expect(await Bun.$`${folder.file(`${name}/petstore`)}`.text()).toBe(
    `${version} (0123456789ab)\n`,
  );
  const sbom = readFileSync(folder.file(`release/${name}.cdx.json`), 'utf8');
  expect(unpacked('petstore.cdx.json')).toBe(sbom);
  expect(JSON.parse(sbom)).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'petstore', version } },
  });
});

test('an executable of another version is not packed', async () => {
  const { exitCode, stdout, stderr } = await pack('0.0.1');
  expect([exitCode, stdout.toString()]).toEqual([1, '']);
  expect(stderr.toString()).toBe(
    `${folder.file('built')} is 0.0.1 (0123456789ab), not ${version}: build it again\n`,
  );
  expect(
    await Bun.file(folder.file(`release/petstore-0.0.1-linux-${process.arch}.tar.gz`)).exists(),
  ).toBe(false);
});
