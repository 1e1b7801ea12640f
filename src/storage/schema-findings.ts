import type { Environment } from '../domain/deployment.ts';
import { advice, bad, type Finding, good } from '../domain/finding.ts';
import type { Migration } from './migrations.ts';
import { type Seal, sealState } from './fence.ts';

/** What is to be said of a schema at `version`. */
export function schemaFinding(version: number, migrations: readonly Migration[]): Finding {
  const known = migrations.at(-1)?.version ?? 0;
  if (version === known) return good('database', `Its schema is up to date (version ${version}).`);
  if (version > known) {
    return bad(
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

/** What is to be said of a database that belongs to one deployment and is used for another. */
export function deploymentFinding(
  found: Environment | undefined,
  configured: Environment,
): Finding | undefined {
  if (found === undefined) return undefined;
  if (found === configured) return good('database', `It belongs to the ${found} deployment.`);
  return bad(
    'database',
    `It belongs to the ${found} deployment, and the settings are for ${configured}.`,
    `Say --environment ${found}, or choose another database for ${configured}.`,
  );
}

/** What is to be said of a database of this name that is sealed. */
export function sealFindings(name: string, seal: Seal | undefined): readonly Finding[] {
  if (seal === undefined) return [];
  const { found, todo } = sealState(name, seal);
  return [bad('database', found, todo)];
}

/** There is no shop in the database of this name, so no command but those that make one works. */
export function noShopFinding(name: string): Finding {
  return bad(
    'database',
    `There is no shop at ${name}.`,
    'Look at --database or PETSTORE_DATABASE; `petstore serve` and `petstore migrate` make a new one.',
  );
}

/** A database of another program. */
export function foreignDatabase(): Finding {
  const todo = 'Choose another one; nothing of this one is touched.';
  return bad('database', 'It is a database of another program.', todo);
}
