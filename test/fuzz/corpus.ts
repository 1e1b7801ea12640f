import { AWAIT_RESPONSES, all, atMost, type Input, plainInput, type Step, send } from './input.ts';
import { chunked, requestWith, validRequests } from './requests.ts';
import { smugglingInputs } from './smuggling.ts';

/** Half a megabyte: well beyond what the runtime takes as a head. */
const FLOOD_BYTES = 524_288;
const HOST = 'Host: petstore.example\r\n';
const GET = `GET /livez HTTP/1.1\r\n${HOST}`;

const flood = (line: string) => line.repeat(Math.ceil(FLOOD_BYTES / line.length));

/** Invalid request lines. */
const REQUEST_LINES: readonly (readonly [name: string, line: string])[] = [
  ['empty', ''],
  ['a word', 'hello'],
  ['only a method', 'GET'],
  ['no version', 'GET /livez'],
  ['no target', 'GET HTTP/1.1'],
  ['two blanks', 'GET  /livez HTTP/1.1'],
  ['a tab', 'GET\t/livez HTTP/1.1'],
  ['a blank before', ' GET /livez HTTP/1.1'],
  ['a blank after', 'GET /livez HTTP/1.1 '],
  ['a blank in the target', 'GET /li vez HTTP/1.1'],
  ['HTTP/2.0', 'GET /livez HTTP/2.0'],
  ['HTTP/0.9', 'GET /livez HTTP/0.9'],
  ['HTTP/1.11', 'GET /livez HTTP/1.11'],
  ['HTTP/1.', 'GET /livez HTTP/1.'],
  ['http/1.1', 'GET /livez http/1.1'],
  ['HTTPS/1.1', 'GET /livez HTTPS/1.1'],
  ['NUL', 'GET /\0 HTTP/1.1'],
  ['a control character', 'GET /\x1b[2J HTTP/1.1'],
  ['asterisk', 'GET * HTTP/1.1'],
  ['OPTIONS asterisk', 'OPTIONS * HTTP/1.1'],
  ['authority form', 'GET petstore.example:80 HTTP/1.1'],
  ['relative path', 'GET livez HTTP/1.1'],
  ['only a query', 'GET ?x HTTP/1.1'],
  ['an unknown method', 'BREW /livez HTTP/1.1'],
  ['a method in lower case', 'get /livez HTTP/1.1'],
  ['a method of signs', 'G{T /livez HTTP/1.1'],
  ['a method of 10,000 letters', `${'G'.repeat(10_000)} /livez HTTP/1.1`],
  ['HTTP/2 preface', 'PRI * HTTP/2.0'],
];

/** Invalid header lines, each with its line end. */
const HEADER_LINES: readonly (readonly [name: string, lines: string])[] = [
  ['no colon', 'abc\r\n'],
  ['no name', ': x\r\n'],
  ['blank in the name', 'a b: c\r\n'],
  ['blank before the colon', 'a : c\r\n'],
  ['folded', 'a: b\r\n c\r\n'],
  ['folded with a tab', 'a: b\r\n\tc\r\n'],
  ['NUL in the value', 'a: \0\r\n'],
  ['NUL in the name', 'a\0: b\r\n'],
  ['control character', 'a: \x07\r\n'],
  ['escape sequence', 'a: \x1b[2J\r\n'],
  ['bare LF', 'a: b\nc: d\r\n'],
  ['bare CR', 'a: b\rc: d\r\n'],
  ['letters beyond ASCII in the name', '\xc3\xa9: b\r\n'],
  ['flood of lines', flood('a: b\r\n')],
  ['flood of one line', `a: ${flood('b')}\r\n`],
  ['flood of a name', `${flood('a')}: b\r\n`],
  ['flood without an end', flood('abcdefgh')],
  ['flood of Host', flood('Host: a\r\n')],
  ['flood of cookies', flood('Cookie: a=b; c=d\r\n')],
];

/** Invalid chunked bodies. */
const CHUNKS: readonly (readonly [name: string, chunks: string])[] = [
  ['no size', '\r\n{}\r\n0\r\n\r\n'],
  ['a size of letters', 'xyz\r\n{}\r\n0\r\n\r\n'],
  ['a size below zero', '-2\r\n{}\r\n0\r\n\r\n'],
  ['a size of 17 digits', `${'F'.repeat(17)}\r\n{}\r\n0\r\n\r\n`],
  ['a size of 10,000 digits', `${'0'.repeat(10_000)}2\r\n{}\r\n0\r\n\r\n`],
  ['an extension of half a megabyte', `2;a=${flood('b')}\r\n{}\r\n0\r\n\r\n`],
  ['data without CRLF', '2\r\n{}0\r\n\r\n'],
  ['LF for CRLF', '2\n{}\n0\n\n'],
];

/** Truncated chunked bodies. */
const UNFINISHED_CHUNKS = ['2', '2\r', '2\r\n', '2\r\n{', '2\r\n{}', '2\r\n{}\r\n', '2\r\n{}\r\n0'];

const post = (key: string, fields: string) =>
  `POST /v1/pets HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\n` +
  `Content-Type: application/json\r\n${fields}\r\n`;

function refusals(key: string): Input[] {
  const inChunks = post(key, 'Transfer-Encoding: chunked\r\n');
  return [
    ...REQUEST_LINES.map(([what, line]) =>
      plainInput(`request line: ${what}`, `${line}\r\n${HOST}\r\n`, 'refusal'),
    ),
    ...HEADER_LINES.map(([what, lines]) =>
      plainInput(`header: ${what}`, `${GET}${lines}\r\n`, 'refusal'),
    ),
    ...CHUNKS.map(([what, chunks]) => plainInput(`chunks: ${what}`, inChunks + chunks, 'refusal')),
    ...UNFINISHED_CHUNKS.map((chunks) =>
      plainInput('chunks: unfinished', inChunks + chunks, 'refusal'),
    ),
    plainInput('target of 20,000 bytes', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 'refusal'),
    plainInput('TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 'refusal'),
    plainInput('nothing at all', '', 'refusal'),
  ];
}

/** Odd but valid HTTP: these get a response, and the connection stays open. */
function oddities(key: string): Input[] {
  const auth = `Authorization: Bearer ${key}\r\n`;
  const body = '{"name":"Rex","categoryId":1}';
  const made = all({ statuses: [201] });
  const lengthOf = `Content-Length: ${body.length}\r\n`;
  const get = (target: string, status: number, more = '') =>
    plainInput(
      `target: ${target}`,
      `GET ${target} HTTP/1.1\r\n${HOST}${auth}${more}\r\n`,
      all({ statuses: [status] }),
    );
  const inChunks = post(key, 'Transfer-Encoding: chunked\r\n');
  return [
    get('http://elsewhere.example/v1/usage', 200),
    get('/v1/%', 400),
    get('/v1/pets/%ff', 400),
    get('/v1/pets?name=%f', 400),
    get('/v1/pets?%00=%00', 200),
    get('/v1/pets/%00', 404),
    get('/v1/pets?name=%1b%5B2J', 200),
    get('/v1/../../../etc/passwd', 404),
    get('/v1/usage', 200, 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n'),
    get('/v1/usage', 200, 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n'),
    plainInput('Expect', post(key, `Expect: 100-continue\r\n${lengthOf}`) + body, made),
    plainInput('Expect of another thing', post(key, `Expect: x\r\n${lengthOf}`) + body, made),
    plainInput('chunk extension', `${inChunks}1d;a="b"\r\n${body}\r\n0;c\r\n\r\n`, made),
    plainInput('chunked in capitals', inChunks.replace('chunked', 'CHUNKED') + chunked(body), made),
    plainInput('a chunk a byte', inChunks + inSingleBytes(body), made),
    plainInput(
      'body over its bound',
      post(key, 'Content-Length: 100000\r\n'),
      all({ statuses: [413] }),
    ),
    plainInput('HTTP/1.0', 'GET /livez HTTP/1.0\r\n\r\n', all({ statuses: [200] })),
    // The service ignores trailers, but the runtime handles them badly.
    plainInput('trailers', `${inChunks}1d\r\n${body}\r\n0\r\nX: y\r\n\r\n`, 'valid'),
  ];
}

function inSingleBytes(body: string): string {
  return `${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`;
}

/** Each valid request: whole, cut off, in slices with pauses, and reset. */
function deliveries(key: string): Input[] {
  return validRequests(key).flatMap(({ text, response }) => {
    const half = text.length >> 1;
    const slices = [text.slice(0, half), text.slice(half, -1), text.slice(-1)];
    const paused = slices.flatMap((slice): Step[] => [send(slice), { do: 'pause', ms: 10 }]);
    return [
      plainInput('valid', text, all(response)),
      { kind: 'valid, half-closed at once', steps: [send(text)], expected: atMost(response) },
      { kind: 'valid, in slices', steps: [...paused, AWAIT_RESPONSES], expected: all(response) },
      { kind: 'reset', steps: [send(text), { do: 'reset' }], expected: atMost(response) },
      // The runtime does not wait for the last line end of a chunked body.
      plainInput('cut off', text.slice(0, -1), text.includes('chunked') ? 'valid' : 'refusal'),
    ] satisfies Input[];
  });
}

/** Everything sent in every run. `name` is that of an animal that must never be created. */
export function corpus(key: string, name: string): readonly Input[] {
  // After a write, or any slow request, the runtime closes the connection.
  const quick = validRequests(key).filter(({ isQuick }) => isQuick);
  const pipelined = quick.map(({ text }) => text).join('');
  return [
    ...refusals(key),
    ...oddities(key),
    ...deliveries(key),
    ...smugglingInputs(key, name),
    plainInput('pipelined', pipelined, all(...quick.map(({ response }) => response))),
    plainInput(
      'pipelined behind a refusal',
      `${requestWith('GET /livez', [])}GARBAGE\r\n\r\n${pipelined}`,
      'valid',
    ),
  ];
}
