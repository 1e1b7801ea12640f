import { Parser } from 'htmlparser2';

const LOOKS_LIKE_HTML =
  /<\/?(?:p|br|b|i|u|em|strong|div|span|a|ul|ol|li|h[1-6]|font|table|tr|td|hr|img)\b[^<>]*>|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/i;
const BLOCKS = new Set([
  'p',
  'div',
  'li',
  'ul',
  'ol',
  'tr',
  'table',
  ...'123456'.split('').map((n) => `h${n}`),
]);
const HIDDEN = new Set(['script', 'style', 'head', 'title']);

/** Returns the text of HTML as people read it, with its line breaks. Any other text is returned as it is. */
export function plainText(text: string): string {
  if (!LOOKS_LIKE_HTML.test(text)) return text;
  let out = '';
  let hidden = 0;
  const parser = new Parser({
    onopentagname(name) {
      if (HIDDEN.has(name)) hidden++;
      if (name === 'br' || name === 'hr') out += '\n';
      else if (BLOCKS.has(name) && out !== '' && !out.endsWith('\n')) out += '\n';
      if (name === 'li') out += '- ';
    },
    ontext(part) {
      if (hidden === 0) out += part.replaceAll('\u00a0', ' ');
    },
    onclosetag(name) {
      if (HIDDEN.has(name)) hidden--;
      if (name === 'p') out += '\n';
    },
  });
  parser.end(text);
  return out
    .replaceAll(/[ \t]+(?=\n)/g, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
