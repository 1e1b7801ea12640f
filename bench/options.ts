import { Command, InvalidArgumentError, Option } from 'commander';
import { peers } from './peers/peers.ts';
import { comparisons } from './scenarios.ts';

/** The options of a run. */
export interface BenchOptions {
  readonly rounds: number;
  readonly seconds: number;
  /** Names of the comparisons to measure; undefined for all. */
  readonly only: readonly string[] | undefined;
  /** Folders of the peers to measure; undefined for all. */
  readonly peers: readonly string[] | undefined;
}

/** Bounds of a run, so that a typo does not keep a machine busy all night. */
const ROUNDS_MAX = 50;
const SECONDS_MAX = 60;

/** Reads the command line. Prints the help or an error and exits if needed. */
export function readOptions(): BenchOptions {
  const names = comparisons.map(({ name }) => name);
  const folders = peers.map(({ folder }) => folder);
  return new Command('npm run bench --')
    .description('measures the service beside nginx and others, and prints tables')
    .option('--rounds <N>', 'interleaved rounds of each scenario', wholeNumber(ROUNDS_MAX), 5)
    .option('--seconds <N>', 'seconds of load on each in a round', wholeNumber(SECONDS_MAX), 4)
    .addOption(new Option('--only <NAME...>', `of ${names.join(', ')}`).choices(names))
    .addOption(new Option('--peers <NAME...>', `of ${folders.join(', ')}`).choices(folders))
    .parse()
    .opts<BenchOptions>();
}

/** Parses an option that is a positive integer. */
export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const value = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };
}
