import { useState } from 'preact/hooks';
import { explain } from '../../components/error-state.tsx';
import { Select } from '../../components/field.tsx';
import { count } from '../../format.ts';
import { failureOf } from '../../loading.ts';
import { carryOut } from '../../outbox.ts';
import { type Import, store } from '../../service.ts';
import { CheckResult } from './check-result.tsx';
import { type ChosenFile, inEncoding } from './chosen-file.ts';
import { ColumnChoices } from './column-choices.tsx';
import { FilePreview } from './file-preview.tsx';
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
  const check = useImport(checkId);

  function change(next: Mapping) {
    setMapping(next);
    // What was found out holds for another mapping.
    setCheckId(undefined);
    setProblem(undefined);
  }

  async function send(dryRun: boolean, done: (started: Import) => void) {
    const missing = problemOf(mapping);
    if (isSending) return;
    setProblem(missing);
    if (missing !== undefined) return;
    setSending(true);
    try {
      await carryOut({
        label: `${dryRun ? 'Check' : 'Import'} ${file.name}`,
        send: (idempotencyKey) =>
          store.imports.start(
            file.upload,
            { ...queryOf(mapping), dryRun },
            { idempotencyKey, timeout: UPLOAD_MS },
          ),
        done,
      });
    } catch (error) {
      setProblem(explain(failureOf(error)));
    } finally {
      setSending(false);
    }
  }

  const checked = check.value;
  const isChecking = checkId !== undefined && checked?.endedAt === undefined;
  return (
    <div class="map-file">
      <p class="chosen-file">
        <strong>{file.name}</strong> {count(sample.rowCount, 'row')}
        <button type="button" class="button" onClick={onLeave}>
          Choose another file
        </button>
      </p>
      {file.encoding !== 'utf-8' && (
        <Select
          {...{ label: 'Encoding', name: 'encoding', value: file.encoding }}
          hint="The file is not in UTF-8. If letters look wrong below, choose another encoding."
          options={ENCODINGS.map(({ label, name }) => ({ value: label, label: name }))}
          onValue={(encoding) => onChange(inEncoding(file, encoding))}
        />
      )}
      <ColumnChoices sample={sample} mapping={mapping} onChange={change} />
      <StatusChoices sample={sample} mapping={mapping} onChange={change} />
      <FilePreview sample={sample} mapping={mapping} />
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div role="status">
        {isSending && <p>Sending the file…</p>}
        {isChecking && <p>Checking the file…</p>}
      </div>
      {checked?.endedAt !== undefined && <CheckResult result={checked} />}
      <div class="import-actions">
        <button
          type="button"
          class={checked?.endedAt === undefined ? 'button primary' : 'button'}
          aria-disabled={isSending || isChecking}
          onClick={() => !isChecking && send(true, ({ id }) => setCheckId(String(id)))}
        >
          Check the file
        </button>
        {checked?.status === 'completed' && (
          <button
            type="button"
            class="button primary"
            aria-disabled={isSending}
            onClick={() => send(false, ({ id }) => onStart(id))}
          >
            Import
          </button>
        )}
      </div>
    </div>
  );
}
