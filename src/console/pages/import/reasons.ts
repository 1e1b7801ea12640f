/** Why rows and values of a file were not taken, in words for the person. */

import { ImportFailure } from '../../../import/failure.ts';
import { t } from '../../language.ts';
import { fieldName } from '../../names.ts';
import { type Forms, refusalText, wordsIn } from '../../refusals.ts';

const REASONS: Forms = {
  'The row has no name.': /^the row has no name/,
  '“{0}” is not the number of a category.': /^category id "(?<id>.*)" must/,
  'The row has no status.': /^(?:status|outcome) ""/,
  'What the status “{0}” means is not chosen.': /^(?:status|outcome) "(?<word>.*)" (?:must|is)/s,
  'The row has no id.': /^external id must not/,
  'Its stays cannot be read: leave them as they were exported.': /^its stays cannot/,
  'The row has {0} cells, and the first line has {1}.':
    /^the row has (?<found>\d+) columns? where the header has (?<wanted>\d+)/,
  'The line is not valid JSON.': /^the line is not a JSON|^the line (?:repeats|is nested)/,
  '“{0}” is neither a text nor a number.': /^"(?<name>.*)" must be a string or a number/,
  'The unit is missing, such as kg or years.': /^it has no unit/,
  'The currency is missing, such as EUR.': /^it names no currency/,
  'It is longer than {0} characters.': /^it is longer than (?<number>[\d,]+)/,
  'Day and month cannot be told apart, or it is after today.': /^its day and month/,
  'The file is empty.': /(?:is|are) empty[;.]/,
  'The file has more than {0} columns.': /has more than (?<most>\d+) columns/,
  'The file would make more than {0} new categories. Is the column of the category the right one?':
    /more than (?<most>[\d,]+) new categories/,
  'The text of the file cannot be read. Save it as UTF-8.':
    /its encoding (?:cannot|is not)| is not \S+ text;/,
  'The file has no column “{0}”.': /has no column "(?<name>.*?)"/,
  'Two columns are “{0}”. Rename one of them.': /has \d+ columns "(?<name>.*?)"/,
  'The file is too large. Save it as CSV, or in parts.':
    /is larger than 64 MB|is too long; nothing/,
  'The file is an old kind of spreadsheet. Save it as .xlsx or CSV.': /spreadsheet of an old kind/,
  'The file is not a table. Save the table as CSV or .xlsx.': /is not a text file with rows/,
  'Whoever started this import may no longer import. The rows before that are stored.':
    /^The key that started/,
  'The database was out of reach for too long. Import the file again: nothing is added twice.':
    /^The service could not reach/,
  'Something went wrong in the service. Import the file again: nothing is added twice.':
    /^The service stopped|^Something went wrong on our/,
  'The photo is larger than 20 MB.': /more than 20 MiB/,
  'The address redirects to another one.': /^It leads to another/,
  'The server answered with {0}.': /^The server answered (?<code>\d+)/,
  'There were too many at once. Import the file again for the rest.': /^They are too many/,
};

/** Returns why a row, a value or a file was not taken. */
export function reasonText(reason: string): string {
  return wordsIn(REASONS, reason) ?? refusalText(reason);
}

/** A failure whose message is in words for the person already. */
export class ToldFailure extends ImportFailure {}

export function failureText(failure: ImportFailure): string {
  return failure instanceof ToldFailure ? failure.message : reasonText(failure.message);
}

/** `luna.jpg: The photo is larger than 20 MB.` */
export function photoProblem(problem: string): string {
  const [, name, reason] = /^(.*?): ([A-Z].*)$/s.exec(problem) ?? [];
  return reason === undefined ? reasonText(problem) : `${name}: ${reasonText(reason)}`;
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  age: t`Age, such as 2 years`,
  ageAt: t`Day of the age`,
};

/** Returns what a part is called. */
export function partName(part: string): string {
  return OTHER_NAMES[part] ?? fieldName(part);
}
