import { Status } from '../../components/status.tsx';
import { type Column, Table } from '../../components/table.tsx';
import type { FileSample } from './file-sample.ts';
import { type AnimalPreview, type Mapping, previewOf } from './mapping.ts';

interface FilePreviewProps {
  readonly sample: FileSample;
  readonly mapping: Mapping;
}

interface PreviewRow extends AnimalPreview {
  readonly line: number;
}

const COLUMNS: readonly Column<PreviewRow>[] = [
  { name: 'Name', cell: ({ name }) => name || <em>No name</em> },
  { name: 'Category', cell: ({ category }) => category || <em>None</em> },
  {
    name: 'Status',
    cell: ({ status }) => (status === undefined ? 'Left out' : <Status value={status} />),
  },
];

/** The first animals as they would be imported. */
export function FilePreview({ sample, mapping }: FilePreviewProps) {
  const rows = sample.rows.map((row, index) => ({ line: index, ...previewOf(row, mapping) }));
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">The first animals</h2>
      <Table
        caption="The first animals of the file"
        columns={COLUMNS}
        items={rows}
        keyOf={({ line }) => line}
        nameOf={({ name }) => name}
      />
    </section>
  );
}
