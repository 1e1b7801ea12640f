/** Why rows and values of a file were not taken, in words for the person. */
import { ImportFailure } from '../../../import/failure.ts';
import { formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { refusalText } from '../../refusals.ts';

const REASONS: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/^the row has no name/, () => t`The row has no name.`],
  [/^category id "(.*)" must/, (id) => t`“${id}” is not the number of a category.`],
  [/^(?:status|outcome) ""/, () => t`The row has no status.`],
  [
    /^(?:status|outcome) "(.*)" (?:must|is)/s,
    (word) => t`What the status “${word}” means is not chosen.`,
  ],
  [/^external id must not/, () => t`The row has no id.`],
  [/^its stays cannot/, () => t`Its stays cannot be read: leave them as they were exported.`],
  [
    /^the row has (\d+) columns? where the header has (\d+)/,
    (found, wanted) => t`The row has ${found} cells, and the first line has ${wanted}.`,
  ],
  [
    /^the line is not a JSON|^the line (?:repeats|is nested)/,
    () => t`The line is no JSON that can be read.`,
  ],
  [/^"(.*)" must be a string or a number/, (name) => t`“${name}” is neither a text nor a number.`],
  [/^it has no unit/, () => t`The unit is missing, such as kg or years.`],
  [/^it names no currency/, () => t`The currency is missing, such as EUR.`],
  [
    /^it is longer than ([\d,]+)/,
    (most) => t`It is longer than ${formatNumber(Number(most.replaceAll(',', '')))} characters.`,
  ],
  [/^its day and month/, () => t`Day and month cannot be told apart, or it is after today.`],
  [/(?:is|are) empty[;.]/, () => t`The file is empty.`],
  [/has more than (\d+) columns/, (most) => t`The file has more than ${most} columns.`],
  [
    /more than ([\d,]+) new categories/,
    (most) =>
      t`The file would make more than ${most} new categories. Is the column of the category the right one?`,
  ],
  [
    /its encoding (?:cannot|is not)/,
    () => t`The letters of the file cannot be read. Save it as UTF-8.`,
  ],
  [/has no column "(.*?)"/, (name) => t`The file has no column “${name}”.`],
  [/has \d+ columns "(.*?)"/, (name) => t`Two columns are “${name}”. Rename one of them.`],
  [
    /is larger than 64 MB|is too long; nothing/,
    () => t`The file is too large. Save it as CSV, or in parts.`,
  ],
  [
    /spreadsheet of an old kind/,
    () => t`The file is a spreadsheet of an old kind. Save it as .xlsx or CSV.`,
  ],
  [/is not a text file with rows/, () => t`The file is no table. Save the table as CSV or .xlsx.`],
  [
    /^The key that started/,
    () => t`Whoever started this import may no longer do it. The rows up to there are stored.`,
  ],
  [
    /^The service could not reach/,
    () => t`The database was away for too long. Import the file again: nothing is added twice.`,
  ],
  [
    /^The service stopped|^Something went wrong on our/,
    () => t`Something went wrong in the service. Import the file again: nothing is added twice.`,
  ],
  [/more than 20 MiB/, () => t`The photo is larger than 20 MB.`],
  [/^It leads to another/, () => t`Its address leads to another one.`],
  [/^The server answered (\d+)/, (code) => t`The server answered with ${code}.`],
  [/^They are too many/, () => t`They are too many at once. Import the file again for the rest.`],
];

/** Returns why a row, a value or a file was not taken. */
export function reasonText(reason: string): string {
  for (const [form, words] of REASONS) {
    const found = form.exec(reason);
    if (found) return words(...found.slice(1));
  }
  return refusalText(reason);
}

/** A failure whose message is in words for the person already. */
export class ToldFailure extends ImportFailure {}

/** Returns why a file cannot be imported. */
export function failureText(failure: ImportFailure): string {
  return failure instanceof ToldFailure ? failure.message : reasonText(failure.message);
}

/** `luna.jpg: The photo is larger than 20 MB.` */
export function photoProblem(problem: string): string {
  const [, name, reason] = /^(.*?): ([A-Z].*)$/s.exec(problem) ?? [];
  return reason === undefined ? reasonText(problem) : `${name}: ${reasonText(reason)}`;
}
