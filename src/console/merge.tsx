/** Changing a record that others may be changing too. */

import { Button } from './components/button.tsx';
import { ask, Dialog } from './components/dialog.tsx';
import { Table } from './components/table.tsx';
import { t } from './language.ts';
import { type Petstore, PetstoreError, store, writeJson } from './service.ts';
import { fieldName, fieldText } from './words.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A record that is changed. */
export interface Edits<T extends object = object> {
  /** As the person saw it. */
  readonly seen: T;
  /** What it is called. */
  readonly name: string;
  /** The method that reads it; by default `get`. */
  readonly reader?: string;
}

/** An operation as plain data: `['categories', 'create', {name: 'Dog'}]`. */
export type Call = readonly [group: keyof Petstore, method: string, ...given: unknown[]];

let session = new AbortController();

/** Ends the calls under way, so that none is made in the name of the next person who signs in. */
export function endCalls(): void {
  session.abort();
  session = new AbortController();
}

export function perform([group, method, ...given]: Call, options: object): Promise<unknown> {
  const all = { ...options, signal: session.signal };
  return Reflect.apply(Reflect.get(store[group], method), store[group], [...given, all]);
}

function differ(one: Fields, other: Fields): (field: string) => boolean {
  return (field) => writeJson(one[field] ?? null) !== writeJson(other[field] ?? null);
}

function pick(fields: Fields, isWanted: (field: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => isWanted(field)));
}

/** Returns the fields that the person has changed: others may have changed what they left as it was. */
export function changedIn(wanted: Fields, seen: object): Fields {
  return pick(wanted, differ(wanted, seen as Fields));
}

/**
 * Changes a record. What somebody else has changed in other fields stays; if both have changed one field,
 * the person chooses. `isTheirs` says that they kept the version of somebody else.
 */
export async function merge(
  [group, method, id, wanted]: Call,
  { seen, name, reader = 'get' }: Edits,
  refuse: ((theirs: unknown) => PetstoreError | undefined) | undefined,
): Promise<{ result: unknown; isTheirs?: boolean }> {
  let base = seen as Fields;
  let mine = changedIn(wanted as Fields, base);
  if (Object.keys(mine).length === 0) return { result: seen };
  for (;;) {
    try {
      return { result: await perform([group, method, id, mine], { ifMatch: base }) };
    } catch (error) {
      if (!(error instanceof PetstoreError) || error.status !== 412) throw error;
    }
    const theirs = (await perform([group, reader, id], {})) as Fields;
    const open = Object.keys(mine).filter(differ(mine, theirs));
    // An earlier try arrived, or both wanted the same.
    if (open.length === 0) return { result: theirs };
    const refusal = refuse?.(theirs);
    if (refusal) throw refusal;
    const disputed = open.filter(differ(base, theirs));
    if (
      disputed.length > 0 &&
      (await askAboutConflict(name, disputed, theirs, mine)) === 'theirs'
    ) {
      mine = pick(mine, (field) => !disputed.includes(field));
      if (Object.keys(mine).length === 0) return { result: theirs, isTheirs: true };
    }
    base = theirs;
  }
}

/** Asks whose version of some fields to keep. Closing the dialog keeps theirs. */
function askAboutConflict(
  name: string,
  disputed: readonly string[],
  theirs: Fields,
  mine: Fields,
): Promise<'theirs' | 'mine'> {
  return ask((answer) => (
    <Dialog isWide title={t`Somebody else has changed ${name}`} onClose={() => answer('theirs')}>
      <p>{t`Your change is not saved yet. Which version do you want to keep?`}</p>
      <Table
        caption={t`Both versions`}
        items={disputed}
        keyOf={(field) => field}
        columns={[
          { name: t`Field`, cell: fieldName },
          { name: t`Theirs`, cell: (field) => fieldText(field, theirs[field]) },
          { name: t`Yours`, cell: (field) => fieldText(field, mine[field]) },
        ]}
      />
      <div class="row dialog-actions">
        <Button onClick={() => answer('theirs')}>{t`Keep theirs`}</Button>
        <Button kind="primary" onClick={() => answer('mine')}>{t`Use mine`}</Button>
      </div>
    </Dialog>
  ));
}
