import { join } from 'node:path';
import type { ConformanceSuite } from '../suite.ts';
import { mustRun } from '../tools.ts';

const MANIFESTS = join(import.meta.dir, '../../../examples/high-availability/kubernetes.yaml');

/** Reads the manifests of the examples with the schemas of Kubernetes, and refuses unknown fields. */
export const manifests: ConformanceSuite = {
  name: 'Kubernetes schemas',
  async check({ tools }) {
    const command = [tools.python('kubernetes-validate'), '--strict', MANIFESTS];
    const passed = (await mustRun(command, tools.work)).match(/ passed for resource /g) ?? [];
    if (passed.length === 0) throw new Error('there are no manifests');
    return `${passed.length} objects`;
  },
};
