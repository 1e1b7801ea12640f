import { useState } from 'preact/hooks';
import { ImportFailure } from '../../../import/failure.ts';
import { DropZone, FileButton } from '../../components/drop-zone.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { LoadingState } from '../../components/states.tsx';
import { path, query, setQuery } from '../../router.ts';
import { EarlierImports } from './earlier-imports.tsx';
import { type ChosenFile, readFile } from './file-sample.ts';
import { ImportProgress } from './import-result.tsx';
import { MapFile } from './map-file.tsx';

/** Imports a file: choose it, say which columns are what, see what would happen, do it. */
export default function ImportPage() {
  const [file, setFile] = useState<ChosenFile>();
  const [isReading, setReading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const id = query.value.get('import');
  const here = path.peek();

  async function choose([given]: readonly File[]) {
    if (!given) return;
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
        <DropZone legend="File to import" onFiles={choose}>
          <Icon name="import" />
          <p>Drop a file here, or</p>
          <FileButton
            label="Choose a file"
            kind="primary"
            onFiles={choose}
            more={{
              accept: '.csv,.tsv,.txt,.ndjson,.jsonl,text/csv',
              'aria-describedby': 'file-hint',
            }}
          />
          <p class="hint" id="file-hint">
            A table saved as CSV, with the names of the columns in the first line. Up to 64 MB.
          </p>
          {problem !== undefined && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
        </DropZone>
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
