import { type Column, Table } from '../../components/table.tsx';
import { formatNumber } from '../../format.ts';
import type { Import } from '../../service.ts';

type RejectedRow = Import['rejectedRows'][number];

const COLUMNS: readonly Column<RejectedRow>[] = [
  { name: 'Line', cell: ({ line }) => formatNumber(line), isNumber: true },
  { name: 'Reason', cell: ({ reason }) => reason },
];

/** The rows that cannot become animals, and why. */
export function RejectedRows({ of }: { readonly of: Import }) {
  const { rejected, rejectedRows } = of;
  if (rejectedRows.length === 0) return null;
  const isPart = rejected > rejectedRows.length;
  return (
    <details class="rejected-rows" open={rejectedRows.length <= 10}>
      <summary>
        {isPart ? `The first ${formatNumber(rejectedRows.length)} rejected rows` : 'Rejected rows'}
      </summary>
      <Table
        caption="Rejected rows"
        columns={COLUMNS}
        items={rejectedRows}
        keyOf={({ line }) => line}
        nameOf={({ line }) => `Line ${line}`}
      />
    </details>
  );
}
