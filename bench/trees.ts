import { join } from 'node:path';
import { createAuthorization } from './contenders/ours.ts';
import type { Workbench } from './workbench.ts';

/** Runs in a process of its own, with the modules of the tree that it gets. */
export const SOCKETLESS = join(import.meta.dir, 'socketless-process.ts');
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
  const { exitCode } = await workbench.run([process.execPath, SOCKETLESS, tree, database]);
  if (exitCode !== 0) throw new Error(`${tree} made no database`);
  const main = join(tree, 'src/main.ts');
  const authorization = await createAuthorization(workbench, `sqlite:${database}`, main);
  return { main, database, authorization };
}
