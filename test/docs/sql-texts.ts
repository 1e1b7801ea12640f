/**
 * Returns the SQL in a file: its strings and templates, or, of an SQL file, everything except comments. The
 * regular expressions of the file must not contain quotes or brackets that do not match.
 */
export function sqlTexts(path: string, source: string): string[] {
  if (path.endsWith('.sql')) return [source.replace(/--.*$/gm, '')];
  const texts: string[] = [];
  readCode(source, 0, texts);
  return texts;
}

/** Code between two strings: comments, or the brackets that end the hole of a template. */
const NEXT = /\/\/.*|\/\*[\s\S]*?\*\/|['"`{}]/g;
const QUOTED = { "'": /(?:[^'\\]|\\.)*/y, '"': /(?:[^"\\]|\\.)*/y };

/** Reads code up to its end or the bracket that closes it. Returns the position after that. */
function readCode(source: string, start: number, texts: string[]): number {
  let depth = 0;
  let at = start;
  for (;;) {
    NEXT.lastIndex = at;
    const next = NEXT.exec(source);
    if (next === null) return source.length;
    const [token] = next;
    at = next.index + token.length;
    if (token === '{') depth++;
    else if (token === '}' && depth-- === 0) return at;
    else if (token === '`') at = readTemplate(source, at, texts);
    else if (token === "'" || token === '"') {
      const pattern = QUOTED[token];
      pattern.lastIndex = at;
      const text = pattern.exec(source)?.[0] ?? '';
      texts.push(text);
      at += text.length + 1;
    }
  }
}

/** Reads a template; `…` stands for each of its holes. */
function readTemplate(source: string, start: number, texts: string[]): number {
  let text = '';
  let at = start;
  while (at < source.length && source[at] !== '`') {
    if (source.startsWith('${', at)) {
      text += '…';
      at = readCode(source, at + 2, texts);
    } else {
      const length = source[at] === '\\' ? 2 : 1;
      text += source.slice(at, at + length);
      at += length;
    }
  }
  texts.push(text);
  return at + 1;
}
