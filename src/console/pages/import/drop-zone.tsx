import { useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';

interface DropZoneProps {
  readonly problem: string | undefined;
  readonly onFile: (file: File) => void;
}

/** Takes a file that is dropped, or chosen with the keyboard. */
export function DropZone({ problem, onFile }: DropZoneProps) {
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
