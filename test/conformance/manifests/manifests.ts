import { join } from 'node:path';
import type { ConformanceSuite } from '../suite.ts';
import { mustRun } from '../tools.ts';

const MANIFESTS = join(import.meta.dir, '../../../examples/high-availability/kubernetes.yaml');
const NO_GO =
  Bun.which('go') === null ? 'Go is not installed (apt-get install golang-go)' : undefined;

/** Reads the Kubernetes manifests of the examples with the types of Kubernetes, and refuses unknown fields. */
export const manifests: ConformanceSuite = {
  name: 'Kubernetes types',
  missing: NO_GO,
  async check({ tools: { work } }) {
    const folder = join(import.meta.dir, 'checker');
    const program = join(work, 'manifests');
    const settings = { GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
    await mustRun(['go', 'build', '-o', program, '.'], folder, settings);
    return (await mustRun([program, MANIFESTS], folder)).trim();
  },
};
