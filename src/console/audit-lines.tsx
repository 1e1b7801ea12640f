/** Who changed what, line by line. */

import { shortened } from './format.ts';
import { t } from './language.ts';
import { submit } from './outbox.tsx';
import { type AuditLine, collect, type Pet, store } from './service.ts';
import { may } from './session.ts';
import { changeName, fieldName, fieldText, statusName } from './words.ts';

/** Changes whose title says enough: the record itself shows the rest. */
const WHOLE = /\.(?:created|added|deleted|received|restored)$/;
const RESTORABLE_MS = 30 * 86_400_000;

/** `Maria`, `key 7`, `a visitor` of the public pages, `the service` itself, or `a command` */
export function authorOf({ actor, type, changes }: AuditLine): string {
  if (actor) return actor.name ?? t`key ${actor.keyId}`;
  const reason = changes?.['disabledReason'];
  if (Array.isArray(reason) && ![null, 'requested'].includes(reason[1])) return t`the service`;
  return type === 'enquiry.received' ? t`a visitor` : t`a command`;
}

/** What happened, and to what, with a link to it. */
export function LineTitle({ line }: { readonly line: AuditLine }) {
  const { type, id, petId, name } = line.subject;
  const animal = type === 'pet' ? id : petId;
  const text = name ?? (id === undefined ? undefined : t`number ${id}`);
  const page = type === 'order' ? `adoptions?order=${id}` : animal && `animals/${animal}`;
  return (
    <>
      {changeName(line.type)}
      {text !== undefined && <>: {page ? <a href={`/console/${page}`}>{text}</a> : text}</>}
    </>
  );
}

/** What changed, a sentence for each field. */
export function LineChanges({ line }: { readonly line: AuditLine }) {
  const changes = Object.entries(line.changes ?? {});
  const sentences = changes.flatMap(([field, change]) => changeText(field, change) ?? []);
  if (WHOLE.test(line.type) || sentences.length === 0) return null;
  return (
    <ul class="hint line-changes">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

const isRecords = (value: unknown) =>
  Array.isArray(value) && value.some((one) => typeof one === 'object');

/** Returns undefined if nothing has changed. */
function changeText(field: string, change: unknown): string | undefined {
  // `ownerName` says who it is, and why something is disabled is on its page.
  if (field === 'ownerId' || field === 'disabledReason') return undefined;
  const name = fieldName(field);
  if (!Array.isArray(change)) return t`${name} changed`;
  const [before, after] = change;
  const isEmpty = (value: unknown) => value === null || value === '';
  if (isEmpty(before) && isEmpty(after)) return undefined;
  if (field === 'published') return after ? t`Published` : t`No longer published`;
  if (field === 'position') return after === 1 ? t`Moved to the front` : t`Moved to place ${after}`;
  // A list of questions or links is no text.
  if (change.some(isRecords)) return t`${name} changed`;
  if (field === 'focus') return t`The part that stays in sight was moved`;
  const [was, is] = change.map((value) =>
    isEmpty(value) ? '' : shortened(fieldText(field, value)),
  );
  if (isEmpty(before)) return `${name}: ${is}`;
  return isEmpty(after) ? t`${name} removed: it was ${was}` : t`${name}: ${is}, it was ${was}`;
}

/** Changes of one photo within this time count as one: each press of an arrow key makes another. */
const TOGETHER_MS = 10 * 60_000;

/** Joins changes of the same fields of a photo by the same person. The latest line is first. */
export function joined(lines: readonly AuditLine[]): readonly AuditLine[] {
  const whole: AuditLine[] = [];
  for (const line of lines) {
    const later = whole.at(-1);
    if (later === undefined || !isSameWork(line, later)) {
      whole.push(line);
      continue;
    }
    const changes = Object.entries(later.changes ?? {}).map(([field, change]) => {
      const earlier = line.changes?.[field];
      const isKnown = Array.isArray(change) && Array.isArray(earlier);
      return [field, isKnown ? [earlier[0], change[1]] : change];
    });
    whole[whole.length - 1] = { ...later, changes: Object.fromEntries(changes) };
  }
  return whole;
}

function isSameWork(one: AuditLine, later: AuditLine): boolean {
  const who = ({ type, subject, actor, changes = {} }: AuditLine) =>
    [type, subject.id, actor?.keyId, ...Object.keys(changes ?? {}).sort()].join();
  const apart = Date.parse(later.timestamp) - Date.parse(one.timestamp);
  return one.type === 'photo.updated' && who(one) === who(later) && apart < TOGETHER_MS;
}

/** Whether this is the removal of an animal that can be brought back. */
export function isRestorable({ type, timestamp }: AuditLine): boolean {
  return (
    type === 'pet.deleted' && may('write') && Date.now() - Date.parse(timestamp) < RESTORABLE_MS
  );
}

/** Brings back a removed animal, and tells the person. */
export async function bringBack({ id, name }: Pick<Pet, 'id' | 'name'>): Promise<void> {
  await submit<Pet>({
    label: t`Bring back ${name}`,
    call: (to) => to.pets.restore(id),
    says: (pet) => t`${pet.name} is back, ${statusName(pet.status).toLowerCase()}.`,
  });
}

/** Reads the history of an animal, the latest line first. The service lists the oldest first. */
export async function readHistory(
  id: Pet['id'],
  signal: AbortSignal,
): Promise<readonly AuditLine[]> {
  return joined((await collect(store.pets.history(id, { limit: 100 }, { signal }))).reverse());
}
