import { useState } from 'preact/hooks';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { query, setQuery } from '../../router.ts';
import { may } from '../../session.ts';
import { type ChosenFile, readFile } from './chosen-file.ts';
import { DropZone } from './drop-zone.tsx';
import { EarlierImports } from './earlier-imports.tsx';
import { UnreadableFile } from './file-sample.ts';
import { ImportProgress } from './import-progress.tsx';
import { MapFile } from './map-file.tsx';

/** Imports a file: choose it, say which columns are what, see what would happen, do it. */
export default function ImportPage() {
  const [file, setFile] = useState<ChosenFile>();
  const [isReading, setReading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const id = query.value.get('import');

  async function choose(given: File) {
    setProblem(undefined);
    setReading(true);
    try {
      setFile(await readFile(given));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      setProblem(error.message);
    } finally {
      setReading(false);
    }
  }

  function start(importId: number) {
    setFile(undefined);
    setQuery({ import: String(importId) });
  }

  return (
    <>
      <PageHeader title="Import" />
      {!may('write') && (
        <p>Your key may not import files. Ask an administrator for one that may.</p>
      )}
      {id !== null && <ImportProgress key={id} id={id} />}
      {id === null && may('write') && isReading && <LoadingState />}
      {id === null && may('write') && !isReading && file === undefined && (
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
