/** Who changed what, line by line. */
import { shortened } from './format.ts';
import { submit } from './outbox.tsx';
import { type AuditLine, collect, type Pet, store } from './service.ts';
import { may } from './session.ts';
import { changeName, fieldName, fieldText, statusName } from './words.ts';

/** Of these the record itself says what there is to say. */
const WHOLE = /\.(?:created|deleted|received|restored)$/;
const RESTORABLE_MS = 30 * 86_400_000;

/** `Maria`, `key 7`, `a visitor` of the public pages, `the service` itself, or `a command` */
export function authorOf({ actor, type, changes }: AuditLine): string {
  if (actor) return actor.name ?? `key ${actor.keyId}`;
  const reason = changes?.['disabledReason'];
  if (Array.isArray(reason) && ![null, 'requested'].includes(reason[1])) return 'the service';
  return type === 'enquiry.received' ? 'a visitor' : 'a command';
}

/** What happened, and to what, with a link to it. */
export function LineTitle({ line }: { readonly line: AuditLine }) {
  const { type, id, petId, name } = line.subject;
  const animal = type === 'pet' ? id : petId;
  const text = name ?? (id === undefined ? undefined : `number ${id}`);
  const page = type === 'order' ? `adoptions?order=${id}` : animal && `animals/${animal}`;
  return (
    <>
      {changeName(line.type)}
      {text !== undefined && <>: {page ? <a href={`/console/${page}`}>{text}</a> : text}</>}
    </>
  );
}

/** The fields that changed, from what to what. */
export function LineChanges({ line }: { readonly line: AuditLine }) {
  const changes = Object.entries(line.changes ?? {});
  if (WHOLE.test(line.type) || changes.length === 0) return null;
  return (
    <ul class="hint line-changes">
      {changes.map(([field, change]) => (
        <li key={field}>{changeText(field, change)}</li>
      ))}
    </ul>
  );
}

function changeText(field: string, change: unknown): string {
  const name = fieldName(field);
  if (!Array.isArray(change)) return `${name} changed`;
  const [before, after] = change.map((value) => valueText(field, value));
  return change[0] === null ? `${name}: ${after}` : `${name}: ${before} → ${after}`;
}

function valueText(field: string, value: unknown): string {
  if (value === null || value === '') return 'nothing';
  const isOther = typeof value === 'object' && field === 'focus';
  const text = isOther
    ? Object.values(value).map((part) => `${Math.round(Number(part) * 100)} %`)
    : fieldText(field, value);
  return shortened(String(text));
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
    label: `Bring back ${name}`,
    call: (to) => to.pets.restore(id),
    says: (pet) => `${pet.name} is back, ${statusName(pet.status).toLowerCase()}.`,
  });
}

/** Reads the history of an animal, the latest line first. The service lists the oldest first. */
export async function readHistory(
  id: Pet['id'],
  signal: AbortSignal,
): Promise<readonly AuditLine[]> {
  return (await collect(store.pets.history(id, { limit: 100 }, { signal }))).reverse();
}
