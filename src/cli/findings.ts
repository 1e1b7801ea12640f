import { styleText } from 'node:util';
import { AREAS, type Finding, type Verdict } from '../domain/finding.ts';

const MARKS: Readonly<Record<Verdict, string>> = { good: 'ok', advice: 'advice', bad: 'WRONG' };
const COLOURS = { good: 'green', advice: 'yellow', bad: 'red' } as const;
const MARK_WIDTH = 8;

function worstOf(findings: readonly Finding[]): Verdict {
  const verdicts = findings.map(({ verdict }) => verdict);
  if (verdicts.includes('bad')) return 'bad';
  return verdicts.includes('advice') ? 'advice' : 'good';
}

/** Formats findings as one JSON value. */
export function findingsJson(findings: readonly Finding[]): string {
  return JSON.stringify({ verdict: worstOf(findings), findings });
}

/** Formats findings for people, grouped by area. */
export function findingsText(findings: readonly Finding[], colours: boolean): string {
  const paint = (style: 'bold' | 'green' | 'yellow' | 'red', text: string) =>
    colours ? styleText(style, text) : text;

  function textOf({ verdict, found, todo }: Finding): string {
    const mark = paint(COLOURS[verdict], MARKS[verdict].padEnd(MARK_WIDTH));
    const next = todo === undefined ? '' : `\n  ${' '.repeat(MARK_WIDTH)}→ ${todo}`;
    return `  ${mark}${found}${next}`;
  }

  return AREAS.flatMap((area) => {
    const own = findings.filter((finding) => finding.area === area);
    const title = area.charAt(0).toUpperCase() + area.slice(1);
    return own.length === 0 ? [] : [[paint('bold', title), ...own.map(textOf)].join('\n')];
  }).join('\n\n');
}
