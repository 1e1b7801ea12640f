import { join } from 'node:path';
import { createAuthorization } from './contenders/ours.ts';
import { ANIMALS } from './kinds.ts';
import type { Workbench } from './workbench.ts';

/** The tree of this file. */
export const HERE = join(import.meta.dir, '..');

/** A checked-out tree with a database that it has made, since its schema may differ from ours. */
export interface Tree {
  readonly main: string;
  readonly database: string;
  readonly authorization: string;
}

/** Lets a tree make its database, and a key for it. */
export async function prepareTree(workbench: Workbench, name: string, tree: string): Promise<Tree> {
  const database = join(workbench.folder, `${name.replace(/\W+/g, '-')}.db`);
  // In a process of its own, with the modules of that tree.
  const create = `import { createDatabase } from ${JSON.stringify(join(tree, 'bench/animals.ts'))};
    await createDatabase(${JSON.stringify(`sqlite:${database}`)}, ${ANIMALS});`;
  const { exitCode } = await workbench.run([process.execPath, '--eval', create]);
  if (exitCode !== 0) throw new Error(`${tree} made no database`);
  const main = join(tree, 'src/main.ts');
  const authorization = await createAuthorization(workbench, `sqlite:${database}`, main);
  return { main, database, authorization };
}
