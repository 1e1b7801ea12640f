import { engines, type TestDatabase, type TestEngine } from '../support/engines.ts';

/** Two databases of their own engines, both empty. */
export interface Pair extends AsyncDisposable {
  readonly source: TestDatabase;
  readonly target: TestDatabase;
}

/** Every engine to every engine. */
export const pairs = engines.flatMap((from) =>
  engines.map((to) => ({ name: `${from.name} to ${to.name}`, from, to })),
);

export async function createPair(from: TestEngine, to: TestEngine): Promise<Pair> {
  const source = await from.createDatabase();
  const target = await to.createDatabase();
  return {
    source,
    target,
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await target[Symbol.asyncDispose]();
    },
  };
}
