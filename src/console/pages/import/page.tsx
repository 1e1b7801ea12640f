import { useEffect, useState } from 'preact/hooks';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { path, query, setQuery } from '../../router.ts';
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
  const here = path.peek();

  useEffect(keepPage, []);

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
    // It may have been sent later, from the list of what was not sent.
    if (path.value === here) setQuery({ import: String(importId) });
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

/** A file that is dropped beside the zone would be opened by the browser in place of the page. */
function keepPage(): () => void {
  const types = ['dragover', 'drop'] as const;
  const prevent = (event: Event) => event.preventDefault();
  for (const type of types) addEventListener(type, prevent);
  return () => {
    for (const type of types) removeEventListener(type, prevent);
  };
}
