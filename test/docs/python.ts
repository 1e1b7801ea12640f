import { installedPython } from '../conformance/tools.ts';

const has = (command: string, name: string) =>
  Bun.spawnSync([command, '-c', `import ${name}`]).success;
const PACKAGES = ['httpx', 'requests', 'standardwebhooks'];
const hasAll = PACKAGES.every((name) => has('python3', name));

/** Python with the packages that the guides and the Python client import: if need be, that of the conformance suites. */
export const python = hasAll ? 'python3' : ((await installedPython()) ?? 'python3');
