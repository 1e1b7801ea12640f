import { sqlite, type TestEngine } from '../support/engines.ts';
import { postgres } from '../support/postgres-engine.ts';

export const bothEngines: readonly TestEngine[] = [sqlite, postgres];

/** Every engine to every engine. */
export const pairs = bothEngines.flatMap((from) =>
  bothEngines.map((to) => ({ name: `${from.name} to ${to.name}`, from, to })),
);

/** Each engine once as the source and once as the target. */
export const crossings = pairs.filter(({ from, to }) => from !== to);
