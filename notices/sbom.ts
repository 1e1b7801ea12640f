import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const NPM_SBOM = [
  ...['npm', 'sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'],
  // The client is no part of the executable.
  '--workspaces=false',
  // `npm run --silent` would hide its reasons.
  ...['--loglevel', 'error'],
];
/** A package and its version, alone on a line, as `packages.ts` writes them above a licence. */
const PACKAGE_LINE = /^(@?[\w./-]+) (\d+\.\d+\.\d+[\w.+-]*)$/gm;
const FIRST_LINE = /^(\S+) (\S+) and the packages/;

/** The part of a CycloneDX document that we read or write. */
interface Bom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string; name: string } };
  readonly components: readonly BomComponent[];
  readonly dependencies: { readonly ref: string; readonly dependsOn: string[] }[];
}

interface BomComponent {
  readonly 'bom-ref': string;
  readonly type: 'library';
  readonly name: string;
  readonly version: string;
  readonly scope: 'required';
  readonly purl: string;
  readonly properties?: readonly { readonly name: string }[];
}

/**
 * The software bill of materials of the executable, in CycloneDX: the packages that npm installs to
 * run it, and those inside the script of the reference page, which npm knows nothing about.
 */
export function billOfMaterials(): Bom {
  const bom = npmBom();
  const { component: petstore } = bom.metadata;
  // npm takes the name of the folder.
  petstore.name = JSON.parse(read('package.json')).name;

  const notices = read('notices/scalar.txt');
  const [, scalarName = '', scalarVersion = ''] = FIRST_LINE.exec(notices) ?? [];
  const scalar = npmComponent(scalarName, scalarVersion);
  const inScalar = [...notices.matchAll(PACKAGE_LINE)].map(([, name = '', version = '']) =>
    npmComponent(name, version),
  );
  // A package can be in both, and in several places of the script.
  const components = new Map(bom.components.map((listed) => [listed['bom-ref'], listed]));
  for (const added of [scalar, ...inScalar]) {
    const ref = added['bom-ref'];
    components.set(ref, components.get(ref) ?? added);
  }
  bom.dependencies
    .find(({ ref }) => ref === petstore['bom-ref'])
    ?.dependsOn.push(scalar['bom-ref']);
  bom.dependencies.push({
    ref: scalar['bom-ref'],
    dependsOn: [...new Set(inScalar.map((part) => part['bom-ref']))],
  });
  return { ...bom, components: [...components.values()] };
}

function npmBom(): Bom {
  const { success, stdout, stderr } = Bun.spawnSync(NPM_SBOM, { cwd: ROOT });
  if (!success) throw new Error(`npm sbom failed: ${stderr.toString().trim()}`);
  return withoutDevelopment(JSON.parse(stdout.toString()));
}

/** npm's own `--omit dev` also leaves out packages that tools for development share with us. */
function withoutDevelopment(bom: Bom): Bom {
  const isTool = ({ properties = [] }: BomComponent) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development');
  const tools = new Set(bom.components.filter(isTool).map((tool) => tool['bom-ref']));
  const isOurs = (ref: string) => !tools.has(ref);
  return {
    ...bom,
    components: bom.components.filter((component) => isOurs(component['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => isOurs(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isOurs) })),
  };
}

/** A package of npm, of which no more is known than its name and version. */
function npmComponent(name: string, version: string): BomComponent {
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  };
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
