import { useState } from 'preact/hooks';
import { explain } from '../../components/error-state.tsx';
import { Select } from '../../components/field.tsx';
import { count } from '../../format.ts';
import { failureOf } from '../../loading.ts';
import { carryOut } from '../../outbox.ts';
import { type Import, type PetstoreError, store } from '../../service.ts';
import { CheckResult } from './check-result.tsx';
import { type ChosenFile, inEncoding } from './chosen-file.ts';
import { ColumnChoices } from './column-choices.tsx';
import { FilePreview } from './file-preview.tsx';
import { UnreadableFile } from './file-sample.ts';
import { guessMapping, type Mapping, problemOf, queryOf } from './mapping.ts';
import { StatusChoices } from './status-choices.tsx';
import { ENCODINGS } from './text-encoding.ts';
import { useImport } from './use-import.ts';

/** A file of the largest size may take long on a slow line. */
const UPLOAD_MS = 600_000;

interface MapFileProps {
  readonly file: ChosenFile;
  /** Called with the file as it reads in another encoding. */
  readonly onChange: (file: ChosenFile) => void;
  /** Called with the id of the import that was started. */
  readonly onStart: (importId: number) => void;
  readonly onLeave: () => void;
}

/** Says which columns become what, and shows what would happen, before anything is written. */
export function MapFile({ file, onChange, onStart, onLeave }: MapFileProps) {
  const { sample } = file;
  const [mapping, setMapping] = useState(() => guessMapping(sample));
  const [checkId, setCheckId] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [wasOtherEncoding] = useState(file.encoding !== 'utf-8');
  const check = useImport(checkId);

  function change(next: Mapping) {
    setMapping(next);
    // What was found out holds for another mapping.
    setCheckId(undefined);
    setProblem(undefined);
  }

  function changeEncoding(encoding: string) {
    try {
      const read = inEncoding(file, encoding);
      onChange(read);
      // The columns may have other names now.
      change(guessMapping(read.sample));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      setCheckId(undefined);
      setProblem(error.message);
    }
  }

  /** Nobody could see the result of a check that is sent later: it is not listed as not sent. */
  async function checkFile() {
    setCheckId(undefined);
    const { id } = await start(file, mapping, { dryRun: true });
    setCheckId(String(id));
  }

  async function importFile() {
    const started = await sendImport(file, mapping);
    if (started) onStart(started.id);
    // It is listed as not sent: from here it could be sent a second time.
    else onLeave();
  }

  async function send(action: () => Promise<void>) {
    const missing = problemOf(mapping);
    if (isSending) return;
    setProblem(missing);
    if (missing !== undefined) return;
    setSending(true);
    try {
      await action();
    } catch (error) {
      setProblem(explain(failureOf(error)));
    } finally {
      setSending(false);
    }
  }

  const checked = check.value;
  const failure = checkId === undefined ? undefined : check.error;
  const isChecking =
    checkId !== undefined && checked?.endedAt === undefined && failure === undefined;
  return (
    <div class="map-file">
      <p class="chosen-file">
        <strong>{file.name}</strong> {count(sample.rowCount, 'row')}
        <button type="button" class="button" onClick={onLeave}>
          Choose another file
        </button>
      </p>
      {wasOtherEncoding && (
        <Select
          {...{ label: 'Encoding', name: 'encoding', value: file.encoding }}
          hint="The file is not in UTF-8. If letters look wrong below, choose another encoding."
          options={ENCODINGS.map(({ label, name }) => ({ value: label, label: name }))}
          onValue={changeEncoding}
        />
      )}
      <ColumnChoices sample={sample} mapping={mapping} onChange={change} />
      <StatusChoices sample={sample} mapping={mapping} onChange={change} />
      <FilePreview sample={sample} mapping={mapping} />
      <Progress
        {...{ problem, isSending, isChecking, failure, checked }}
        onTryAgain={check.reload}
      />
      <Actions
        isBusy={isSending || isChecking}
        checked={checked}
        onCheck={() => send(checkFile)}
        onImport={() => send(importFile)}
      />
    </div>
  );
}

interface ProgressProps {
  readonly problem: string | undefined;
  readonly isSending: boolean;
  readonly isChecking: boolean;
  /** Why nobody knows how far the check is. */
  readonly failure: PetstoreError | undefined;
  readonly checked: Import | undefined;
  readonly onTryAgain: () => void;
}

/** How far the check is, and what it found. */
function Progress({ checked, failure, ...props }: ProgressProps) {
  const { problem, isSending, isChecking, onTryAgain } = props;
  return (
    <>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {failure !== undefined && (
        <p class="problem" role="alert">
          {explain(failure)}{' '}
          <button type="button" class="button small" onClick={onTryAgain}>
            Try again
          </button>
        </p>
      )}
      <div role="status">
        {isSending && <p>Sending the file…</p>}
        {isChecking && <p>Checking the file…</p>}
      </div>
      {checked?.endedAt !== undefined && <CheckResult result={checked} />}
    </>
  );
}

interface ActionsProps {
  readonly isBusy: boolean;
  readonly checked: Import | undefined;
  readonly onCheck: () => void;
  readonly onImport: () => void;
}

/** What to do next: check the file first, then import it. */
function Actions({ isBusy, checked, onCheck, onImport }: ActionsProps) {
  return (
    <div class="import-actions">
      <button
        type="button"
        class={checked?.endedAt === undefined ? 'button primary' : 'button'}
        aria-disabled={isBusy}
        onClick={() => !isBusy && onCheck()}
      >
        Check the file
      </button>
      {checked?.status === 'completed' && (
        <button
          type="button"
          class="button primary"
          aria-disabled={isBusy}
          onClick={() => !isBusy && onImport()}
        >
          Import
        </button>
      )}
    </div>
  );
}

/** Sends the file to be imported. Returns nothing if it is listed as not sent. */
async function sendImport(file: ChosenFile, mapping: Mapping): Promise<Import | undefined> {
  const results: Import[] = [];
  await carryOut({
    label: `Import ${file.name}`,
    send: (idempotencyKey) => start(file, mapping, { dryRun: false, idempotencyKey }),
    done: (started) => results.push(started),
  });
  return results[0];
}

function start(
  { upload }: ChosenFile,
  mapping: Mapping,
  { dryRun, ...options }: { readonly dryRun: boolean; readonly idempotencyKey?: string },
): Promise<Import> {
  const query = { ...queryOf(mapping), dryRun };
  return store.imports.start(upload, query, { ...options, timeout: UPLOAD_MS });
}
