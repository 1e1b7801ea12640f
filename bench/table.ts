/** Renders an aligned Markdown table: the first column to the left, the others to the right. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = header.map((_, column) =>
    Math.max(3, ...[header, ...rows].map((row) => Bun.stringWidth(row[column] ?? ''))),
  );
  const line = (row: readonly string[]) => {
    const cells = row.map((cell, column) => {
      const padding = ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
      return column === 0 ? cell + padding : padding + cell;
    });
    return `| ${cells.join(' | ')} |`;
  };
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(header), line(rule), ...rows.map(line)].join('\n');
}
