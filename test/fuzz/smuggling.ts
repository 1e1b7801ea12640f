import { AWAIT_RESPONSES, type Input, plainInput, send } from './input.ts';
import { requestWith } from './requests.ts';

/** Animals with this name must never be created. */
export const SMUGGLED = 'smuggled';

/**
 * Headers that two servers may read differently: where the first request ends decides whether the
 * rest is its body or another request (RFC 9112, section 11.2). `LENGTH` stands for the length of
 * the rest.
 */
const AMBIGUOUS_LENGTHS: readonly (readonly [name: string, fields: string])[] = [
  ['CL.TE', 'Content-Length: LENGTH\r\nTransfer-Encoding: chunked'],
  ['CL.TE, 0', 'Content-Length: 0\r\nTransfer-Encoding: chunked'],
  ['TE.CL', 'Transfer-Encoding: chunked\r\nContent-Length: 5'],
  ['TE.CL, 0', 'Transfer-Encoding: chunked\r\nContent-Length: 0'],
  ['TE.TE', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity'],
  ['TE.TE, other first', 'Transfer-Encoding: x\r\nTransfer-Encoding: chunked'],
  ['TE twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked'],
  ['TE unknown', 'Transfer-Encoding: xchunked'],
  ['TE list', 'Transfer-Encoding: chunked, identity'],
  ['TE list, chunked last', 'Transfer-Encoding: identity, chunked'],
  ['TE list, twice', 'Transfer-Encoding: chunked, chunked'],
  ['TE gzip', 'Transfer-Encoding: gzip, chunked'],
  ['TE identity', 'Transfer-Encoding: identity\r\nContent-Length: 0'],
  ['TE quoted', 'Transfer-Encoding: "chunked"'],
  ['TE parameter', 'Transfer-Encoding: chunked;x=1'],
  ['TE empty', 'Transfer-Encoding:\r\nContent-Length: 0'],
  ['TE vertical tab', 'Transfer-Encoding: \x0bchunked'],
  ['TE NUL', 'Transfer-Encoding: chunked\0'],
  ['TE obs-fold', 'Transfer-Encoding:\r\n chunked'],
  ['TE obs-fold with tab', 'Transfer-Encoding:\r\n\tchunked'],
  ['TE folded into another', 'X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 0'],
  ['TE space before colon', 'Transfer-Encoding : chunked'],
  ['TE tab before colon', 'Transfer-Encoding\t: chunked'],
  ['TE space before name', ' Transfer-Encoding: chunked'],
  ['TE NUL in name', 'Transfer-Encoding\0: chunked'],
  ['TE underscore', 'Transfer_Encoding: chunked\r\nTransfer-Encoding: \x01chunked'],
  ['TE after bare LF', 'X: a\nTransfer-Encoding: chunked'],
  ['TE after bare CR', 'X: a\rTransfer-Encoding: chunked'],
  ['TE after LF CR', 'X: a\n\rTransfer-Encoding: chunked'],
  ['CL.CL', 'Content-Length: 0\r\nContent-Length: LENGTH'],
  ['CL list', 'Content-Length: 0, LENGTH'],
  ['CL list alike', 'Content-Length: 0, 0'],
  ['CL plus', 'Content-Length: +0'],
  ['CL minus', 'Content-Length: -0'],
  ['CL hex', 'Content-Length: 0x0'],
  ['CL fraction', 'Content-Length: 0.0'],
  ['CL exponent', 'Content-Length: 0e0'],
  ['CL underscore', 'Content-Length: 0_0'],
  ['CL blank inside', 'Content-Length: 0 0'],
  ['CL empty', 'Content-Length:'],
  ['CL obs-fold', 'Content-Length:\r\n 0'],
  ['CL space before colon', 'Content-Length : 0'],
  ['CL NUL', 'Content-Length: 0\0'],
  ['CL of 2^64', 'Content-Length: 18446744073709551616'],
  ['CL of 2^64 and more', 'Content-Length: 99999999999999999999999999'],
  ['CL after bare LF', 'X: a\nContent-Length: 0'],
  ['CL after bare CR', 'X: a\rContent-Length: 0'],
  ['head ended by LF LF', 'X: a\n\n'],
  ['head ended by CR CR', 'X: a\r\r'],
];

/** Chunks that two servers may read differently. `X` is where the hidden request stands. */
const AMBIGUOUS_CHUNKS: readonly (readonly [name: string, chunks: string])[] = [
  ['size with plus', '+0\r\n\r\nX'],
  ['size with minus', '-0\r\n\r\nX'],
  ['size with 0x', '0x0\r\n\r\nX'],
  ['size with blank', '0 \r\n\r\nX'],
  ['size after blank', ' 0\r\n\r\nX'],
  ['size with underscore', '0_0\r\n\r\nX'],
  ['size empty', '\r\n\r\nX'],
  ['size of 2^64', '10000000000000000\r\nX'],
  ['size of 2^64 in many digits', '000000000000000010000000000000000\r\nX'],
  ['size ended by LF', '0\n\nX'],
  ['size ended by LF, body by CRLF', '0\n\r\nX'],
  ['size ended by CR', '0\r\rX'],
  ['extension with bare LF', '0;a=\n\r\n\r\nX'],
  ['extension with bare CR', '0;a\r=b\r\n\r\nX'],
  ['extension with NUL', '0;\0\r\n\r\nX'],
  ['data without its end', '2\r\n{}0\r\n\r\nX'],
  ['data with a wrong end', '2\r\n{}xx0\r\n\r\nX'],
  ['data ended by LF', '2\r\n{}\n0\r\n\r\nX'],
  ['data longer than its size', '1\r\n{}\r\n0\r\n\r\nX'],
  ['size as letters', 'zz\r\n\r\nX'],
];

/** A POST that a server would execute if it took it for a separate request. */
function hidden(auth: string, name: string): string {
  const body = `{"name":"${name}","categoryId":1}`;
  return requestWith('POST /v1/pets', [auth, 'Content-Type: application/json'], body);
}

/**
 * Pairs of requests in one, with a key that may create animals. Each must get at most one refusal,
 * and the connection must end there. No animal called `name` may be created.
 */
export function smugglingInputs(key: string, name: string): readonly Input[] {
  const auth = `Authorization: Bearer ${key}`;
  const second = hidden(auth, name);
  const head = `POST /v1/pets HTTP/1.1\r\nHost: petstore.example\r\n${auth}\r\n`;
  const json = 'Content-Type: application/json\r\n';
  const inputs: Input[] = [];
  const add = (kind: string, first: string, rest: string) => {
    inputs.push(plainInput(kind, first + rest, 'refusal'));
    // The same in two pieces, cut where the hidden request starts.
    inputs.push({
      kind,
      steps: [send(first), { do: 'pause', ms: 5 }, send(rest), AWAIT_RESPONSES],
      expected: 'refusal',
    });
  };
  for (const [what, fields] of AMBIGUOUS_LENGTHS) {
    for (const body of ['', '0\r\n\r\n']) {
      const rest = body + second;
      const sent = fields.replace('LENGTH', String(rest.length));
      add(`smuggling: ${what}`, `${head}${json}${sent}\r\n\r\n`, rest);
    }
  }
  for (const [what, chunks] of AMBIGUOUS_CHUNKS) {
    const first = `${head}${json}Transfer-Encoding: chunked\r\n\r\n`;
    add(`smuggling: chunk ${what}`, first, chunks.replace('X', second));
  }
  return inputs;
}
