import { t } from '../../language.ts';
import { fieldName } from '../../words.ts';

const OTHER_NAMES: Readonly<Record<string, string>> = {
  age: t`Age, such as 2 years`,
  ageAt: t`Day of the age`,
};

/** Returns what a part is called. */
export function partName(part: string): string {
  return OTHER_NAMES[part] ?? fieldName(part);
}
