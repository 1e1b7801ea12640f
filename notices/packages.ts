import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An installed npm package, with the texts of its licence. */
interface LicensedPackage {
  readonly title: string;
  readonly texts: readonly string[];
}

const MODULES = 'node_modules/';
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/**
 * The notices of the packages that `package-lock.json` in `folder` installs to run, not to develop.
 * Packages with the same text share it. `left` are names that are noticed elsewhere.
 */
export function packageNotices(folder: string, left: readonly RegExp[] = []): string {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const groups = new Map<string, string[]>();
  // What `npm ci` leaves out on this machine, such as the runtime of another, has no folder.
  for (const [path, facts] of Object.entries<{ dev?: boolean; link?: boolean }>(lock.packages)) {
    const at = path.lastIndexOf(MODULES);
    const name = path.slice(at + MODULES.length);
    // Outside of `node_modules` are our own packages, and links to them inside.
    if (at < 0 || facts.link === true || facts.dev === true) continue;
    if (left.some((pattern) => pattern.test(name))) continue;
    const { title, texts } = readPackage(join(folder, path));
    const text = texts.join('\n\n');
    groups.set(text, [...(groups.get(text) ?? []), title]);
  }
  return [...groups]
    .map(([text, titles]) => `${titles.join('\n')}\n\n${text}`)
    .join(`\n\n${RULE}\n\n`);
}

/** A line between two notices. */
export const RULE = '-'.repeat(72);

function readPackage(path: string): LicensedPackage {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(path, 'package.json'), 'utf8'),
  );
  const texts = readdirSync(path)
    .filter((file) => LICENCE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(join(path, file), 'utf8').replaceAll('\r\n', '\n').trim());
  const by = typeof author === 'string' ? author : author?.name;
  const none = `${license} licence${by ? `, by ${by}` : ''}; the package has no text of it.`;
  return { title: `${name} ${version}`, texts: texts.length > 0 ? texts : [none] };
}
