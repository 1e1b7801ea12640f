import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';

/** The addresses of a name, or no response at all. */
export type DnsAnswer = readonly string[] | 'silence';

/** A DNS server on loopback. */
export interface DnsServer extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  /** Names in the order of the questions for IPv4 addresses. */
  readonly questions: readonly string[];
}

const TYPES = { 1: 4, 28: 6 } as const;
const HEADER_BYTES = 12;

/** Starts a server. `answer` is called for each question for IPv4 addresses, and for IPv6 ones. */
export async function startDnsServer(
  answer: (name: string, family: 4 | 6, asked: number) => DnsAnswer,
): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const family = type === 1 || type === 28 ? TYPES[type] : undefined;
    const asked = questions.filter((each) => each === name).length;
    if (type === 1) questions.push(name);
    const answered = family === undefined ? [] : answer(name, family, asked);
    if (answered === 'silence') return;
    const addresses = answered.filter((each) => isIP(each) === family);
    const head = Buffer.from(query.subarray(0, end));
    // A recursive response without error; a name without any address does not exist.
    head.writeUInt16BE(answered.length === 0 ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt32BE(0, 8);
    const records = addresses.map((each) => record(type, each));
    socket.send(Buffer.concat([head, ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

/** Reads the only question of a query (RFC 1035, 4.1.2). */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** An address of the name in the question, which nobody may cache. */
function record(type: number, address: string): Buffer {
  const data = type === 1 ? ipv4Bytes(address) : ipv6Bytes(address);
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, data]);
}

function ipv4Bytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

function ipv6Bytes(address: string): Buffer {
  // The parser of URLs turns a dotted ending into groups.
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail = ''] = plain.split('::');
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const groups = [...(first ?? []), ...(last ?? [])];
  const zeros = new Array<string>(8 - groups.length).fill('0');
  const all = [...(first ?? []), ...zeros, ...(last ?? [])];
  return Buffer.concat(all.map((group) => Buffer.from(group.padStart(4, '0'), 'hex')));
}
