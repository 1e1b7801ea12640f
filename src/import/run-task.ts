import { read as readFile } from 'node:fs';
import { promisify } from 'node:util';
import { SECOND_MS } from '../domain/clock.ts';
import { NO_ROWS, REJECTED_ROWS_MAX } from '../domain/import.ts';
import type { ImportTask } from '../domain/import-queue.ts';
import { NO_PHOTOS } from '../domain/imported-photos.ts';
import type { ImportedPet } from '../domain/pet.ts';
import type { Upload } from '../domain/upload.ts';
import { batchesOf } from './batches.ts';
import { type CheckedRows, checkRows } from './check-rows.ts';
import type { ImportMapping } from './columns.ts';
import { ImportFailure, Interrupted, shortReason } from './failure.ts';
import { headerMark } from './header-mark.ts';
import { parseNameTemplate, parseStatusMap } from './mapping.ts';
import { type FileBytes, openSource } from './open-source.ts';
import {
  createWantedPhotos,
  photosByAddress,
  takePhotos,
  type WantedPhotos,
} from './take-photos.ts';
import { createTaskState, failTask, type TaskState, type TaskStateParts } from './task-state.ts';

/** Animals in one transaction: a few milliseconds on SQLite, during which requests wait. */
const BATCH_ROWS = 100;
/** Bounds the memory for external ids, of which the last row counts. */
export const ROWS_MAX = 500_000;
/** The interval at which the number of rows read is saved. */
const SAVE_MS = SECOND_MS;

/**
 * Carries out an import. Never throws: the import says how it ended. Returns what is left to do without the file,
 * beside other imports: fetching photos takes long.
 */
export async function runTask(
  task: ImportTask,
  parts: TaskStateParts,
): Promise<(() => Promise<void>) | undefined> {
  const state = createTaskState(task.record, parts);
  const finish = async (work: () => Promise<void>) => {
    try {
      await work();
      await complete(state, parts);
    } catch (error) {
      await failTask(error, state, parts);
    }
  };
  let wanted: WantedPhotos | undefined;
  try {
    wanted = await importFile(task, state, parts);
  } catch (error) {
    await failTask(error, state, parts);
    return undefined;
  }
  if (wanted.wanted.length > 0 && !task.record.dryRun) {
    return () => finish(() => fetchPhotos(task, wanted, state, parts));
  }
  await finish(async () => {});
  return undefined;
}

async function importFile(
  task: ImportTask,
  state: TaskState,
  parts: TaskStateParts,
): Promise<WantedPhotos> {
  if (parts.isEnding()) throw new Interrupted();
  await state.requireKey();
  await state.save({ status: 'reading' });
  const checked = await check(task, state, parts);
  const { rows: total, leftOut: skipped, repeated, rejected, examples } = checked;
  const recognised = checked.recognised.taken.map(({ target: part, column }) => ({ part, column }));
  const rejectedRows = examples.map(({ line, reason }) => ({ line, reason: shortReason(reason) }));
  const rows = { read: 0, total, skipped, repeated, rejected, recognised };
  const header = headerMark(checked.source.columns.keys());
  await state.save({ status: 'running', rows, rejectedRows, header });
  return await write(task, checked, state, parts);
}

async function complete(state: TaskState, { clock }: TaskStateParts): Promise<void> {
  const { rows } = state;
  const read = rows.total ?? rows.read;
  await state.save({ status: 'completed', endedAt: clock.now(), rows: { ...rows, read } });
}

async function fetchPhotos(
  { record, familyId }: ImportTask,
  wanted: WantedPhotos,
  state: TaskState,
  parts: TaskStateParts,
): Promise<void> {
  const { storage, clock, ending } = parts;
  let savedAt = clock.now();
  const photos = await takePhotos(wanted, {
    source: parts.photosFor(familyId),
    ...{ storage, clock, keyId: record.keyId, importId: record.id, signal: ending },
    beforeAdding: state.requireKey,
    async progress(counts) {
      if (clock.now() - savedAt < SAVE_MS) return;
      savedAt = clock.now();
      await state.save({ rows: { ...state.rows, photos: counts } });
    },
  });
  await state.save({ rows: { ...state.rows, photos } });
  if (parts.isEnding()) throw new Interrupted();
}

/** Reads the whole file. Saves now and then how far it is. */
async function check(
  task: ImportTask,
  state: TaskState,
  parts: TaskStateParts,
): Promise<CheckedRows> {
  let read = 0;
  let savedAt = parts.clock.now();
  let isChecked = false;
  const file = uploadedFile(task.upload, async () => {
    if (parts.isEnding()) throw new Interrupted();
    if (isChecked || parts.clock.now() - savedAt < SAVE_MS) return;
    savedAt = parts.clock.now();
    await state.save({ rows: { ...NO_ROWS, read } });
  });
  const { source } = await openSource(file, task.encoding, 'the parameter encoding');
  const checked = await checkRows(source, mappingOf(task), {
    terms: (part) => `the parameter ${part}`,
    now: parts.clock.now,
    examplesMax: REJECTED_ROWS_MAX,
    categoriesMax: parts.maxCategories,
    beforeRow(rows) {
      read = rows;
      if (rows >= ROWS_MAX) throw new ImportFailure(TOO_MANY_ROWS);
    },
  });
  isChecked = true;
  if (task.overwrite && !checked.repeatable) throw new ImportFailure(NOT_REPEATABLE);
  await state.requireCategories(checked.categories);
  return checked;
}

async function write(
  { record, overwrite, policy, familyId, photos }: ImportTask,
  checked: CheckedRows,
  state: TaskState,
  { clock, isEnding, storage: { pets, imports }, photosFor }: TaskStateParts,
): Promise<WantedPhotos> {
  const source = photosFor(familyId);
  const wanted = createWantedPhotos(imports, (animal) =>
    photos ? photosByAddress(animal, source) : [],
  );
  const options = { dryRun: record.dryRun, overwrite };
  let number = 0;
  async function step(batch: readonly ImportedPet[], rows: TaskState['rows']): Promise<void> {
    if (isEnding()) throw new Interrupted();
    number++;
    const stamp = { at: clock.now(), keyId: record.keyId };
    const startedAt = performance.now();
    const ids = await state.write({ number, rows, batch, stamp, options });
    await wanted.add(batch, ids);
    // Imports take at most half of the time.
    await Bun.sleep(performance.now() - startedAt);
  }
  for await (const batch of batchesOf(checked, pets, { size: BATCH_ROWS, policy })) {
    const { animals, rows: read, unread, left, leftBefore } = batch;
    const missing = { missing: batch.missing.missing.length, missingHeld: batch.missing.isHeld };
    await step(animals, { ...state.rows, read, unread, left, leftBefore, ...missing });
  }
  const { found, known } = wanted.counts;
  await state.save({ rows: { ...state.rows, photos: { ...NO_PHOTOS, found, known } } });
  return wanted;
}

const readAt = promisify(readFile);

/** Small, because the rows of a chunk are parsed in one turn of the event loop. */
const CHUNK_BYTES = 16_384;

/** An uploaded file. `advance` runs after each chunk that is read. */
function uploadedFile(upload: Upload, advance: () => Promise<void>): FileBytes {
  async function* read(): AsyncGenerator<Uint8Array> {
    for (let position = 0; ; ) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      const { bytesRead } = await readAt(upload.descriptor, chunk, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
      position += bytesRead;
      await advance();
    }
  }
  return { name: 'The file', bytes: upload.bytes, read };
}

function mappingOf({ mapping, publish, onlyNamed }: ImportTask): ImportMapping {
  const { statusMap, unnamed, ...columns } = mapping;
  return {
    ...columns,
    publish,
    onlyNamed,
    statusMap: statusMap === undefined ? undefined : parseStatusMap(statusMap),
    unnamed: unnamed === undefined ? undefined : parseNameTemplate(unnamed),
  };
}

const TOO_MANY_ROWS = `The file has more than ${ROWS_MAX} rows: split it. Nothing was imported.`;
const NOT_REPEATABLE =
  'The parameter overwrite needs externalId, to find the animal of each row. Nothing was imported.';
