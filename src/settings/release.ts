import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageFacts from '../../package.json' with { type: 'json' };

/** The commit that an executable was built from (`build/executable.ts`). Not there when sources run. */
declare const BUILT_FROM: string | undefined;

const CHECKOUT = join(import.meta.dir, '../../.git');
const SHOWN_DIGITS = 12;

/** Returns the commit of the checkout that these sources are in; undefined without one. */
function commitOfCheckout(): string | undefined {
  const read = (path: string) => readFileSync(join(CHECKOUT, path), 'utf8').trim();
  try {
    const head = read('HEAD');
    const [, branch] = /^ref: (.+)$/.exec(head) ?? [];
    if (branch === undefined) return head;
    try {
      return read(branch);
    } catch {
      const packed = read('packed-refs').split('\n');
      return packed.find((line) => line.endsWith(` ${branch}`))?.split(' ')[0];
    }
  } catch {
    return undefined;
  }
}

const commit = typeof BUILT_FROM === 'string' ? BUILT_FROM : commitOfCheckout();

/** The release that runs: its version, and the commit if it is known, which tells builds of one version apart. */
export const RELEASE = {
  version: packageFacts.version,
  ...(commit && { commit: commit.slice(0, SHOWN_DIGITS) }),
} as const;

/** The same in one line: `1.0.0 (0123456789ab)`. */
export const RELEASE_TEXT = commit ? `${RELEASE.version} (${RELEASE.commit})` : RELEASE.version;
