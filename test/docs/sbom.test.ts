import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { billOfMaterials } from '../../notices/sbom.ts';

const ROOT = join(import.meta.dir, '../..');
const manifest = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

test('the SBOM lists what the executable contains', () => {
  const { metadata, components, dependencies } = billOfMaterials();
  const { name, version, dependencies: direct, devDependencies } = manifest('package.json');
  expect(metadata.component).toMatchObject({ type: 'application', name, version });

  const refs = components.map((component) => component['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  for (const [name, version] of Object.entries(direct))
    expect(refs).toContain(`${name}@${version}`);
  for (const [name, version] of Object.entries(devDependencies)) {
    expect(refs).not.toContain(`${name}@${version}`);
  }

  // The script of the reference page is in the repository, so npm does not know it.
  const bundle = [...new Bun.Glob('scalar-*.js.gz').scanSync(join(ROOT, 'src/site/reference'))];
  const scalar = `@scalar/api-reference@${bundle[0]?.replace(/^scalar-|\.js\.gz$/g, '')}`;
  const inside = dependencies.find(({ ref }) => ref === scalar)?.dependsOn ?? [];
  expect(inside.length).toBeGreaterThan(200);
  expect(
    inside.filter((ref) => /^(?:vue|highlight\.js|@codemirror\/view)@\d/.test(ref)),
  ).toHaveLength(4);
  const [root] = dependencies.filter(({ ref }) => ref === `${name}@${version}`);
  expect(root?.dependsOn).toContain(scalar);
  for (const { ref, dependsOn } of dependencies) {
    const known = [`${name}@${version}`, ...refs];
    expect(known).toContain(ref);
    expect(dependsOn.filter((part) => !known.includes(part))).toEqual([]);
  }
});
