/** An import as it goes on. */
import { useState } from 'preact/hooks';
import { readNumber } from '../../int64.ts';
import { type Loaded, useLoaded } from '../../loading.ts';
import { type Import, PetstoreError, store } from '../../service.ts';

/** The pause between two looks at a running import. */
const LOOK_EVERY_MS = 1_000;

/** Loads an import until it has ended; nothing while there is no id. */
export function useImport(id: string | undefined): Loaded<Import | undefined> {
  const [isRunning, setRunning] = useState(false);
  const loaded = useLoaded(
    async (signal) => {
      try {
        const found = id === undefined ? undefined : await importOf(id, signal);
        setRunning(found !== undefined && found.endedAt === undefined);
        return found;
      } catch (error) {
        if (!signal.aborted) setRunning(false);
        throw error;
      }
    },
    [id],
    [],
    { everyMs: isRunning ? LOOK_EVERY_MS : undefined },
  );
  // A value of an earlier id is not this import.
  const isCurrent = id !== undefined && loaded.value?.id === Number(id);
  return isCurrent ? loaded : { ...loaded, value: undefined };
}

async function importOf(id: string, signal: AbortSignal): Promise<Import> {
  const number = readNumber(id);
  if (number === undefined) {
    throw new PetstoreError('There is no import with this number.', { code: 'import_not_found' });
  }
  return store.imports.get(number, { signal });
}
