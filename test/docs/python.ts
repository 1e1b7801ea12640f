import { installedPython } from '../conformance/tools.ts';

const isCi = process.env['CI'] === 'true';
const has = (command: string, name: string) =>
  Bun.spawnSync([command, '-c', `import ${name}`]).success;
const PACKAGES = ['requests', 'standardwebhooks'];
const hasAll = PACKAGES.every((name) => has('python3', name));

/** Python with the packages that the guides import: if need be, that of the conformance suites. */
export const python = hasAll ? 'python3' : ((await installedPython()) ?? 'python3');

/** Returns whether this package is missing. CI never skips what needs it. */
export function lacksPackage(name: string): boolean {
  return !isCi && !has(python, name);
}

/** Python examples need the package requests. CI never skips them. */
export const leavesOutPython = lacksPackage('requests');
