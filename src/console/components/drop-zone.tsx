import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

type TakeFiles = (files: readonly File[]) => void;

interface DropZoneProps {
  /** What can be dropped, for people who cannot see it. */
  readonly legend: string;
  readonly onFiles: TakeFiles;
  /** How else to choose one, and what it may be. */
  readonly children: ComponentChildren;
}

export function DropZone({ legend, onFiles, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  return (
    <fieldset
      class="drop-zone"
      data-over={isOver}
      onDragOver={({ dataTransfer }) => setOver(dataTransfer?.types.includes('Files') === true)}
      onDragLeave={() => setOver(false)}
      onDrop={({ dataTransfer }) => {
        setOver(false);
        onFiles([...(dataTransfer?.files ?? [])]);
      }}
    >
      <legend class="visually-hidden">{legend}</legend>
      {children}
    </fieldset>
  );
}

interface FileButtonProps {
  readonly label: string;
  readonly kind: string;
  readonly icon?: IconName;
  readonly onFiles: TakeFiles;
  /** Further attributes of the input. */
  readonly more: object;
}

export function FileButton({ label, kind, icon, onFiles, more }: FileButtonProps) {
  return (
    <label class={`button ${kind}`}>
      {icon && <Icon name={icon} />}
      {label}
      <input
        type="file"
        class="visually-hidden"
        {...more}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // The same file can be chosen again, after it was corrected.
          currentTarget.value = '';
          onFiles(files);
        }}
      />
    </label>
  );
}
