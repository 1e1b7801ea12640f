import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENQUIRY_STATUSES } from '../../src/domain/enquiry.ts';
import { IMPORT_STATUSES } from '../../src/domain/import.ts';
import { ORDER_STATUSES } from '../../src/domain/order.ts';
import { PERSON_STATUSES, ROLE_NAMES } from '../../src/domain/person.ts';
import { PET_STATUSES } from '../../src/domain/pet.ts';
import { PROFILE_FIELDS } from '../../src/domain/profile.ts';
import { SHOP_FIELDS } from '../../src/domain/shop.ts';
import { INTAKE_TYPES, OUTCOME_TYPES, STAY_AGES } from '../../src/domain/stay.ts';

const FOLDER = join(import.meta.dir, '../../src/console');

/** The files of the console with their texts. */
export const sources = (readdirSync(FOLDER, { recursive: true }) as string[])
  .filter((name) => /\.tsx?$/.test(name) && !/^(?:language|main)\.ts/.test(name))
  .map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }));

/** Words of the interface that are shown, besides those of fields. */
const SHOWN = [
  ...[ENQUIRY_STATUSES, IMPORT_STATUSES, ORDER_STATUSES, PERSON_STATUSES, ROLE_NAMES],
  ...[PET_STATUSES, INTAKE_TYPES, OUTCOME_TYPES, STAY_AGES, Object.keys(SHOP_FIELDS)],
  ...[['active', 'expired', 'revoked', 'banned', 'free', 'pro', 'enterprise', 'staff', 'all']],
  ...[['enabled', 'disabled', 'failing', 'delivered', 'failed', 'trying again', 'queued']],
  ...[['sent', 'held']],
  ...[['adopter', 'contact', 'note', 'name', 'status', 'role', 'description', 'plan', 'scopes']],
].flat();

/** What a template says, with `{0}` for its first value; and what is inside its values. */
function templateAt(text: string, start: number): { key: string; values: string; end: number } {
  let key = '';
  let values = '';
  let place = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') key += text.slice(at, ++at + 1);
    else if (text[at] === '`') return { key, values, end: at };
    else if (text.startsWith('${', at)) {
      let depth = 1;
      const from = at + 2;
      for (at = from; depth > 0; at++) {
        if (text[at] === '`') at = templateAt(text, at + 1).end;
        else if (text[at] === '{') depth++;
        else if (text[at] === '}') depth--;
      }
      at--;
      values += `${text.slice(from, at)};`;
      key += `{${place++}}`;
    } else key += text[at];
  }
  throw new Error(`a template without an end: ${key.slice(0, 40)}`);
}

/** The keys of the marked templates in a text. */
export function* markedIn(text: string): Generator<string> {
  for (const { index } of text.matchAll(/(?<!\w)t`/g)) {
    yield templateAt(text, index + 2).key;
  }
}

const COUNTED = /\bcount\([\s\S]*?,\s*'([^']+)'(?:,\s*'([^']+)')?\s*,?\)/g;
const GROUPED = /what: '([^']+)',(?:\s+several: '([^']+)')?/g;
const LISTED = /^\s+(?:\w+|'[\w.-]+'): '([A-Z][^']*)',$/gm;
/** Properties that begin with a capital are names on the screen: of facts, and of columns in files. */
const NAMED = /^\s+(?:\.\.\.\([^{]*\{ )?'?([A-Z][a-z][\w ]*)'?:/gm;
/** Sentences that are the names of properties: what stands for what the service says. */
const SENTENCES = /^ {2}'([^']* [^']*[.?])':/gm;

const capital = (word: string) => {
  const words = word.replaceAll(/_|(?=[A-Z])/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Every text that the console looks up, by the file that says it. */
export function keysOf(): Map<string, string> {
  const keys = new Map<string, string>();
  const words = ['words.ts', 'names.ts']
    .map((name) => readFileSync(join(FOLDER, name), 'utf8'))
    .join('\n');
  const inTable = new Set([...words.matchAll(/^\s+'?([\w.]+)'?: '/gm)].map(([, word]) => word));
  for (const { name, text } of sources) {
    const add = (key: string) => keys.set(key, name);
    for (const key of markedIn(text)) add(key);
    for (const pattern of [COUNTED, GROUPED]) {
      for (const [, one = '', several = `${one}s`] of text.matchAll(pattern)) {
        add(`{0} ${one}`);
        add(`{0} ${several}`);
      }
    }
    for (const [, key = ''] of text.matchAll(SENTENCES)) add(key);
    if (name.endsWith('.tsx')) for (const [, key = ''] of text.matchAll(NAMED)) add(key);
  }
  for (const [, key = ''] of words.matchAll(LISTED)) keys.set(key, 'words.ts');
  for (const field of Object.keys(PROFILE_FIELDS)) {
    if (!inTable.has(field)) keys.set(capital(field), 'fields of profiles');
  }
  const known = Object.values(PROFILE_FIELDS).flatMap((field) =>
    field.kind === 'word' ? field.words : [],
  );
  for (const word of [...SHOWN, ...known]) {
    if (!inTable.has(word)) keys.set(capital(word), 'words of the interface');
  }
  for (const unit of ['day', 'month', 'year', 'second', 'minute', 'hour', 'animal']) {
    keys.set(`{0} ${unit}`, 'format.ts').set(`{0} ${unit}s`, 'format.ts');
  }
  for (const unit of ['month', 'year']) keys.set(`under a ${unit}`, 'format.ts');
  for (const { text } of sources.filter(({ name }) => name === 'pages.ts')) {
    for (const [, icon = ''] of text.matchAll(/page\('[^']*', '(\w+)'/g))
      keys.set(capital(icon), 'pages.ts');
  }
  for (const what of [
    'animals',
    'adoptions',
    'the year',
    'status',
    'category',
    'place',
    'Write or call',
  ]) {
    keys.set(what, 'export-menu.tsx');
  }
  return keys;
}
