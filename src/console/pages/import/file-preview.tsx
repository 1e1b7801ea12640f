import { Status } from '../../components/status.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { shortened } from '../../format.ts';
import { t } from '../../language.ts';
import { existingCategories } from './choices.tsx';
import { type Draft, queryOf } from './mapping.ts';
import type { PreviewedAnimal } from './preview.ts';

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

/** The first animals as they would be stored. */
export function FilePreview({ file, mapping }: Pick<Draft, 'file' | 'mapping'>) {
  const { sample, previewOf } = file;
  const query = queryOf(mapping, sample, existingCategories());
  const rows = previewOf(sample, query, mapping.status !== undefined);
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{t`The first animals, as they are stored`}</h2>
      <Table
        caption={t`The first animals of the file`}
        columns={PREVIEW}
        items={rows}
        keyOf={(row) => rows.indexOf(row)}
      />
    </section>
  );
}
