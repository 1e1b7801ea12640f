import { useState } from 'preact/hooks';
import { PROFILE_PARTS, STAY_PARTS } from '../../../domain/import.ts';
import { foldCase } from '../../../domain/name.ts';
import { ImportFailure } from '../../../import/failure.ts';
import { parseCategoryMap, parseStatusMap } from '../../../import/mapping.ts';
import { Button } from '../../components/button.tsx';
import { Status } from '../../components/facts.tsx';
import { Select } from '../../components/field.tsx';
import { Section } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { explain } from '../../failures.ts';
import { count, formatMoment, shortened } from '../../format.ts';
import { t } from '../../language.ts';
import { submit } from '../../outbox.tsx';
import { store } from '../../service.ts';
import {
  CategoryChoices,
  ColumnChoices,
  existingCategories,
  OtherChoices,
  StatusChoices,
} from './choices.tsx';
import { type ChosenFile, ENCODINGS, type FileSample, readFile, readIn } from './file-sample.ts';
import { ImportResult, useImport } from './import-result.tsx';
import {
  type Draft,
  guessMapping,
  guessStatuses,
  type Mapping,
  ONE_KIND,
  PARTS,
  problemOf,
  queryOf,
} from './mapping.ts';
import type { PreviewedAnimal } from './preview.ts';
import { failureText } from './reasons.ts';

/** A file of the largest size may take long on a slow line. */
const UPLOAD_MS = 600_000;

/** Reads a file, with what its columns probably are. Throws `ImportFailure`. */
export async function readDraft(file: File): Promise<Draft> {
  return draftOf(await readFile(file));
}

/** Returns a draft with the choices of the last file with the same columns, if there was one. */
async function draftOf(file: ChosenFile): Promise<Draft> {
  const guessed = { file, mapping: guessMapping(file.sample) };
  try {
    const { header } = file.sample;
    const { items } = await store.imports.list({ header, sort: 'newest', limit: 1 }).page();
    const [last] = items;
    if (last === undefined) return guessed;
    const { choices, createdAt } = await store.imports.get(last.id);
    const mapping = mappingFrom(file.sample, choices);
    return mapping === undefined ? guessed : { file, mapping, rememberedFrom: createdAt };
  } catch {
    // They can be chosen again.
    return guessed;
  }
}

interface FileProps {
  readonly file: ChosenFile;
  /** Called with the id of the import that was started. */
  readonly onStart: (importId: number) => void;
  readonly onLeave: () => void;
}

interface MapFileProps extends Omit<FileProps, 'file'> {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

/** Says which columns become what, and shows what would happen, before anything is written. */
export function MapFile({ draft, onChange, onStart, onLeave }: MapFileProps) {
  const { file, mapping, rememberedFrom } = draft;
  const { sample } = file;
  const [problem, setProblem] = useState<string>();
  const [wasOtherEncoding] = useState(file.encoding !== 'utf-8');
  const setMapping = (next: Mapping) => onChange({ ...draft, mapping: next });
  const choices = { sample, mapping, onChange: setMapping };

  async function changeEncoding(encoding: string) {
    try {
      const read = await readIn(file, encoding);
      setProblem(undefined);
      // The columns may have other names now.
      onChange(await draftOf(read));
    } catch (error) {
      if (!(error instanceof ImportFailure)) throw error;
      setProblem(failureText(error));
    }
  }

  return (
    <div class="map-file">
      <p class="row spread">
        <span>
          <strong>{file.name}</strong>, {count(sample.rowCount, 'row')}
        </span>
        <Button onClick={onLeave}>{t`Choose another file`}</Button>
      </p>
      {rememberedFrom !== undefined && (
        <p class="row spread" role="status">
          {t`These are the choices for the last file with these columns, on ${formatMoment(rememberedFrom)}.`}
          <Button
            onClick={() => onChange({ file, mapping: guessMapping(sample) })}
          >{t`Start over`}</Button>
        </p>
      )}
      {wasOtherEncoding && (
        <Select
          label={t`Encoding`}
          name="encoding"
          hint={t`The file is not in UTF-8. If letters look wrong below, choose another encoding.`}
          options={
            ENCODINGS.some(([value]) => value === file.encoding)
              ? ENCODINGS
              : [...ENCODINGS, [file.encoding, file.encoding]]
          }
          value={file.encoding}
          onValue={changeEncoding}
          problem={problem}
        />
      )}
      <ColumnChoices {...choices} />
      <StatusChoices {...choices} />
      <CategoryChoices {...choices} />
      <OtherChoices {...choices} />
      <FilePreview file={file} mapping={mapping} />
      {/* What was found out holds for one mapping. */}
      <SendFile
        key={file.encoding + JSON.stringify(mapping)}
        file={file}
        mapping={mapping}
        onStart={onStart}
        onLeave={onLeave}
      />
    </div>
  );
}

/** Checks the file first, then imports it. */
function SendFile({ file, mapping, onStart, onLeave }: FileProps & { readonly mapping: Mapping }) {
  const [checkId, setCheckId] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { value: checked, error, reload } = useImport(checkId);

  /** Nobody could see the result of a check that is sent later: it is not listed as not sent. */
  async function checkFile() {
    setCheckId(undefined);
    const query = { ...queryOf(mapping, file.sample, existingCategories()), dryRun: true };
    const { id } = await store.imports.start(file.upload, query, { timeout: UPLOAD_MS });
    setCheckId(String(id));
  }

  async function importFile() {
    const query = queryOf(mapping, file.sample, existingCategories());
    const isSent = await submit({
      label: t`Import ${file.name}`,
      call: (to) => to.imports.start(file.upload, { ...query, dryRun: false }),
      done: ({ id }) => onStart(id),
      isFleeting: true,
      timeout: UPLOAD_MS,
    });
    // It is listed as not sent: from here it could be sent a second time.
    if (!isSent) onLeave();
  }

  async function send(action: () => Promise<void>) {
    const missing = problemOf(mapping);
    setProblem(missing);
    if (missing !== undefined) return;
    setSending(true);
    await action().catch((cause) => setProblem(explain(cause)));
    setSending(false);
  }

  const failure = checkId === undefined ? undefined : error;
  const isChecking = checkId !== undefined && !checked?.endedAt && failure === undefined;
  const isBusy = isSending || isChecking;
  return (
    <>
      {(problem ?? failure) && (
        <p class="problem" role="alert">
          {problem ?? explain(failure)}{' '}
          {problem === undefined && <Button kind="small" onClick={reload}>{t`Try again`}</Button>}
        </p>
      )}
      <p role="status">{isSending ? t`Sending the file…` : isChecking && t`Checking the file…`}</p>
      {checked?.endedAt !== undefined && (
        <section class="import-result" role="status" aria-labelledby="check">
          <h2 id="check">
            {checked.status === 'failed' ? t`This file cannot be imported` : t`What would happen`}
          </h2>
          <ImportResult of={checked} />
        </section>
      )}
      <div class="row">
        <Button
          kind={checked?.endedAt === undefined ? 'primary' : ''}
          isDisabled={isBusy}
          onClick={() => send(checkFile)}
        >{t`Check the file`}</Button>
        {checked?.status === 'completed' && (
          <Button
            kind="primary"
            isDisabled={isBusy}
            onClick={() => send(importFile)}
          >{t`Import`}</Button>
        )}
      </div>
    </>
  );
}

const PREVIEW: readonly Column<PreviewedAnimal>[] = [
  { name: t`Name`, cell: ({ name }) => name || <em>{t`No name`}</em> },
  { name: t`Category`, cell: ({ category }) => category || <em>{t`None`}</em> },
  {
    name: t`Status`,
    cell: ({ status, isAdded }) => (isAdded ? <Status value={status} /> : status),
  },
  { name: t`Profile`, cell: ({ profile }) => shortened(profile, PROFILE_MAX) },
];
const PROFILE_MAX = 300;

function FilePreview({ file, mapping }: Pick<Draft, 'file' | 'mapping'>) {
  const { sample, previewOf } = file;
  const query = queryOf(mapping, sample, existingCategories());
  const rows = previewOf(sample, query, mapping.status !== undefined);
  return (
    <Section id="preview" title={t`The first animals, as they are stored`}>
      <Table
        caption={t`The first animals of the file`}
        columns={PREVIEW}
        items={rows}
        keyOf={(row) => rows.indexOf(row)}
      />
    </Section>
  );
}

/** Returns the mapping that an earlier import of such a file had; undefined if no person has chosen it. */
function mappingFrom(sample: FileSample, choices: string): Mapping | undefined {
  const query = new URLSearchParams(choices);
  const text = (name: string) => query.get(name) ?? '';
  if (text('onlyNamed') !== 'true') return undefined;
  const status = text('status');
  const statusMap = query.has('statusMap') ? parseStatusMap(text('statusMap')) : undefined;
  const statuses = Object.entries(guessStatuses(sample, status)).map(([value, guess]) => [
    value,
    statusMap?.get(foldCase(value)) ?? guess,
  ]);
  const categoryMap = query.has('categoryMap') ? parseCategoryMap(text('categoryMap')) : new Map();
  const parts = [...PROFILE_PARTS, ...STAY_PARTS].flatMap((part) =>
    query.has(part) ? [[text(part), part]] : [],
  );
  const columns = ['name', 'status', 'externalId', 'category', 'categoryId', ...PARTS];
  const isWhole = columns.every((part) => !text(part) || sample.columns.includes(text(part)));
  if (!isWhole) return undefined;
  return {
    ...{ name: text('name'), externalId: text('externalId'), unnamed: text('unnamed'), status },
    category: query.has('categoryIs') ? ONE_KIND : text('category') || text('categoryId'),
    isCategoryId: query.has('categoryId'),
    categoryIs: text('categoryIs'),
    categories: Object.fromEntries(categoryMap),
    statuses: Object.fromEntries(statuses),
    parts: Object.fromEntries(parts),
    weightUnit: text('weightUnit'),
    publish: text('publish') === 'true',
    photos: text('photos') !== 'false',
    withHistory: text('withHistory') === 'true',
    // The parameter has no other values.
    missing: (text('missing') || 'keep') as Mapping['missing'],
  };
}
