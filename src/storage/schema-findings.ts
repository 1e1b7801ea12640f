import type { Environment } from '../domain/deployment.ts';
import { advice, type Finding, failed, passed } from '../domain/finding.ts';
import { type Fence, fenceState } from './fence.ts';
import type { Migration } from './migrations.ts';

/** The finding for a schema at `version`. */
export function schemaFinding(version: number, migrations: readonly Migration[]): Finding {
  const known = migrations.at(-1)?.version ?? 0;
  if (version === known)
    return passed('database', `Its schema is up to date (version ${version}).`);
  if (version > known) {
    return failed(
      'database',
      `Its schema has version ${version}, but this release knows only ${known}.`,
      'Use the release that migrated it, or a later one.',
    );
  }
  return advice(
    'database',
    `Its schema has version ${version}; this release brings it to ${known}.`,
    'The next start, or `petstore migrate`, does that; back it up with the earlier release first.',
  );
}

/** The finding for the deployment of a database. */
export function deploymentFinding(
  found: Environment | undefined,
  configured: Environment,
): Finding | undefined {
  if (found === undefined) return undefined;
  if (found === configured) return passed('database', `It belongs to the ${found} deployment.`);
  return failed(
    'database',
    `It belongs to the ${found} deployment, and the settings are for ${configured}.`,
    `Say --environment ${found}, or choose another database for ${configured}.`,
  );
}

/** The finding for the fence of the database `name`. */
export function fenceFindings(name: string, fence: Fence | undefined): readonly Finding[] {
  if (fence === undefined) return [];
  const { found, todo } = fenceState(name, fence);
  return [failed('database', found, todo)];
}

/** The finding for a missing or empty database: only commands that create one work. */
export function noDatabaseFinding(name: string): Finding {
  return failed(
    'database',
    `There is no Petstore database at ${name}.`,
    'Look at --database or PETSTORE_DATABASE; `petstore serve` and `petstore migrate` make a new one.',
  );
}

/** A database of another program. */
export function foreignDatabase(): Finding {
  const todo = 'Choose another one; nothing of this one is touched.';
  return failed('database', 'It is a database of another program.', todo);
}
