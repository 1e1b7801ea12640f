import { ConfigProblems } from './config.ts';
import { readSmallFile, UnusableFile } from './small-file.ts';

/** Variables that a file sets. */
export interface EnvFile {
  readonly path: string;
  readonly variables: Readonly<Partial<Record<string, string>>>;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const BLANK_OR_COMMENT = /(?:\s|[#;][^\r\n]*)*/y;
const NAME_PART = /([^=\r\n]*)=/y;
const REST_OF_LINE = /[^\r\n]*/y;
const BLANKS = /[ \t]*/y;
const IN_SINGLE_QUOTES = /'([^']*)'/y;
const IN_DOUBLE_QUOTES = /"((?:[^"\\]|\\[\s\S])*)"/y;
const QUOTE = /['"]/y;
/** A backslash at the end of a line continues it. */
const WITHOUT_QUOTES = /(?:[^\\\r\n]|\\(?:\r\n|[\s\S])|\\$)*/y;

/**
 * Reads a file of variables, in the syntax of systemd's `EnvironmentFile`: lines `NAME=value`, where `#`
 * or `;` starts a comment. A value may be in single quotes, or in double quotes where a backslash
 * escapes `"`, `\`, `$` and a backtick; both may span lines. Without quotes, blanks around it are dropped and a
 * backslash escapes any character, and continues the line at its end. Nothing is expanded, and of
 * a repeated name the last counts. Throws `ConfigProblems`, which names every wrong line.
 */
export function readEnvFile(path: string): EnvFile {
  try {
    const { variables, problems } = parseVariables(readSmallFile(path));
    if (problems.length === 0) return { path, variables };
    throw new ConfigProblems(problems.map((problem) => `${path}, ${problem}.`).join('\n'));
  } catch (error) {
    throw error instanceof UnusableFile ? new ConfigProblems(`${error.message}.`) : error;
  }
}

/** Returns the variables of such a text, and what is wrong with its other lines, as `line 3 …`. */
function parseVariables(text: string) {
  const variables: Record<string, string> = {};
  const problems: string[] = [];
  const cursor = createCursor(text);
  for (cursor.take(BLANK_OR_COMMENT); !cursor.isAtEnd(); cursor.take(BLANK_OR_COMMENT)) {
    const line = cursor.line();
    const name = cursor.take(NAME_PART)?.[1]?.trim();
    if (name === undefined || !NAME.test(name)) {
      problems.push(`line ${line} is neither NAME=value nor a comment`);
      cursor.take(REST_OF_LINE);
      continue;
    }
    const value = takeValue(cursor);
    if (value === undefined) {
      problems.push(`line ${line} has a quote that does not end`);
      break;
    }
    variables[name] = value;
  }
  return { variables, problems };
}

/** Takes a value and the rest of its line. Returns undefined for a quote that does not end. */
function takeValue({ take }: Cursor): string | undefined {
  let value = '';
  for (;;) {
    take(BLANKS);
    const [, single] = take(IN_SINGLE_QUOTES) ?? [];
    const [, double] = take(IN_DOUBLE_QUOTES) ?? [];
    if (single === undefined && double === undefined) break;
    value += single ?? '';
    value += double?.replace(/\\(?:\r?\n|(["\\$`]))/g, '$1') ?? '';
  }
  if (take(QUOTE) !== undefined) return undefined;
  const [plain = ''] = take(WITHOUT_QUOTES) ?? [];
  return value + plain.replace(/(?<!\\)[ \t]+$/, '').replace(/\\(?:\r?\n|([\s\S])|$)/g, '$1');
}

type Cursor = ReturnType<typeof createCursor>;

function createCursor(text: string) {
  let at = 0;
  return {
    /** Takes what a sticky pattern matches here. */
    take(pattern: RegExp): RegExpExecArray | undefined {
      pattern.lastIndex = at;
      const found = pattern.exec(text) ?? undefined;
      at += found?.[0].length ?? 0;
      return found;
    },
    isAtEnd: () => at === text.length,
    /** The number of the current line, from 1. */
    line: () => text.slice(0, at).split('\n').length,
  };
}
