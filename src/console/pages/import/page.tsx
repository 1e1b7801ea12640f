import { useEffect, useState } from 'preact/hooks';
import { ImportFailure } from '../../../import/failure.ts';
import { keepPage } from '../../components/dropping.ts';
import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { LoadingState } from '../../components/states.tsx';
import { path, query, setQuery } from '../../router.ts';
import { type ChosenFile, readFile } from './chosen-file.ts';
import { EarlierImports } from './earlier-imports.tsx';
import { ImportProgress } from './import-result.tsx';
import { MapFile } from './map-file.tsx';

/** Imports a file: choose it, say which columns are what, see what would happen, do it. */
export default function ImportPage() {
  const [file, setFile] = useState<ChosenFile>();
  const [isReading, setReading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const id = query.value.get('import');
  const here = path.peek();

  useEffect(keepPage, []);

  async function choose(given: File) {
    setProblem(undefined);
    setReading(true);
    try {
      setFile(await readFile(given));
    } catch (error) {
      if (!(error instanceof ImportFailure)) throw error;
      setProblem(error.message);
    } finally {
      setReading(false);
    }
  }

  function start(importId: number) {
    setFile(undefined);
    // It may have been sent later, from the list of what was not sent.
    if (path.value === here) setQuery({ import: String(importId) });
  }

  return (
    <>
      <PageHeader title="Import" />
      {id !== null && <ImportProgress key={id} id={id} />}
      {id === null && isReading && <LoadingState />}
      {id === null && !isReading && file === undefined && (
        <DropZone problem={problem} onFile={choose} />
      )}
      {id === null && file !== undefined && (
        <MapFile
          file={file}
          onChange={setFile}
          onStart={start}
          onLeave={() => setFile(undefined)}
        />
      )}
      {file === undefined && <EarlierImports current={id} />}
    </>
  );
}

interface DropZoneProps {
  readonly problem: string | undefined;
  readonly onFile: (file: File) => void;
}

/** Takes a file that is dropped, or chosen with the keyboard. */
function DropZone({ problem, onFile }: DropZoneProps) {
  const [isOver, setOver] = useState(false);

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer?.files[0];
    if (file) onFile(file);
  }

  return (
    <fieldset
      class="drop-zone"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <legend class="visually-hidden">File to import</legend>
      <Icon name="import" />
      <p>Drop a file here, or</p>
      <label class="button primary">
        Choose a file
        <input
          type="file"
          class="visually-hidden"
          accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv"
          aria-describedby="file-hint"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            // The same file can be chosen again, after it was corrected.
            currentTarget.value = '';
            if (file) onFile(file);
          }}
        />
      </label>
      <p class="hint" id="file-hint">
        A table saved as CSV, with the names of the columns in the first line. Up to 64 MB.
      </p>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
