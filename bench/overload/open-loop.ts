/**
 * An open-loop load in its own process: requests are sent on schedule, whether or not earlier ones got
 * a response. Reads its task as JSON from the environment and prints its result as JSON.
 */
import { requestOf } from '../kinds.ts';
import { type Connection, openConnection, type ReceivedResponse } from './connection.ts';
import { DEADLINE_MS, type LoadResult, type LoadTask, TASK_VARIABLE } from './load-process.ts';
import { loads } from './loads.ts';
import { createResponseCheck } from './response-check.ts';

/** A request in progress. */
interface Sent {
  readonly turn: number;
  /** When it should have been sent. */
  readonly dueAt: number;
}

const SECOND_MS = 1_000;
/** Time to wait at the end for requests in progress. */
const ENDING_MS = 3 * SECOND_MS;
const PUMP_MS = 1;
const TURNS = 1_000_000;

const task: LoadTask = JSON.parse(process.env[TASK_VARIABLE] ?? '');
const load = loads.find(({ name }) => name === task.load);
if (load === undefined) throw new Error(`there is no load ${task.load}`);
const { kinds } = load;
const responseCheck = createResponseCheck(load);
const wires = wireTexts();

const idle: Connection[] = [];
const underWay = new Map<Connection, Sent>();
const accepted: number[] = [];
const refusals: number[] = [];
let opened = 0;
/** Starts at a random position, so that no load repeats the requests of the one before. */
let turns = Math.floor(Math.random() * TURNS);
let offered = 0;
let successes = 0;
let unsent = 0;
let wrong = 0;
let firstWrong = '';
let behindMs = 0;

const isOpenLoop = task.perSecond > 0;
const startedAt = performance.now();
const countedFrom = startedAt + task.settleSeconds * SECOND_MS;
const endsAt = countedFrom + task.seconds * SECOND_MS;
const gap = SECOND_MS / task.perSecond;
let nextDue = startedAt;

/** The requests as bytes, one list per kind. */
function wireTexts(): readonly (readonly Buffer[])[] {
  const { host } = new URL(task.origin);
  return kinds.map((kind) =>
    kind.load.paths.map((_, turn) => {
      const { method, path, headers, body } = requestOf(kind, task.authorization, turn);
      const length = body === '' ? {} : { 'content-length': body.length };
      const allHeaders = Object.entries({ host, ...headers, ...length });
      const lines = allHeaders.map(([name, value]) => `${name}: ${value}`);
      return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'));
    }),
  );
}

function note(problem: string): void {
  wrong++;
  firstWrong ||= problem;
}

function send(connection: Connection, dueAt: number): void {
  const turn = turns++;
  const texts = wires[turn % wires.length] ?? [];
  const text = texts[turn % texts.length];
  if (text === undefined) return;
  underWay.set(connection, { turn, dueAt });
  connection.send(text);
}

async function open(dueAt: number): Promise<void> {
  opened++;
  try {
    send(await openConnection(task.origin, take, end), dueAt);
  } catch (error) {
    note(String(error));
  }
}

function end(connection: Connection): void {
  opened--;
  if (underWay.delete(connection)) note('a connection closed under a request');
}

function take(connection: Connection, response: ReceivedResponse): void {
  const sent = underWay.get(connection);
  underWay.delete(connection);
  if (sent === undefined) {
    note('a response without a request');
    return;
  }
  const verdict = responseCheck.of(sent.turn, response);
  const milliseconds = performance.now() - sent.dueAt;
  if (verdict === 'success') successes++;
  if (typeof verdict === 'object') note(verdict.wrong);
  else if (sent.dueAt >= countedFrom) {
    (verdict === 'success' ? accepted : refusals).push(milliseconds);
  }
  idle.push(connection);
  pump();
}

/** Sends requests that are due. Every response calls this too, since timers wait for a busy loop. */
function pump(): void {
  const now = performance.now();
  if (isOpenLoop) sendDue(now);
  else if (now < endsAt) {
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      if (now >= countedFrom) offered++;
      send(connection, now);
    }
  }
}

/** If every connection is waiting, the request is dropped; the next one keeps its own schedule. */
function sendDue(now: number): void {
  behindMs = Math.max(behindMs, Math.min(now, endsAt) - nextDue);
  for (; nextDue <= now && nextDue < endsAt; nextDue += gap) {
    const isCounted = nextDue >= countedFrom;
    if (isCounted) offered++;
    const connection = idle.pop();
    if (connection !== undefined) send(connection, nextDue);
    else if (opened < task.connections) void open(nextDue);
    else if (isCounted) unsent++;
  }
}

function quantiles(values: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

if (!isOpenLoop) for (let i = 0; i < task.connections; i++) void open(startedAt);
const timer = setInterval(pump, PUMP_MS);
while (performance.now() < endsAt) await Bun.sleep(20);
clearInterval(timer);
const leavesAt = performance.now() + ENDING_MS;
while (underWay.size > 0 && performance.now() < leavesAt) await Bun.sleep(20);

const good = accepted.filter((milliseconds) => milliseconds <= DEADLINE_MS).length;
const result: LoadResult = {
  offered,
  good,
  late: accepted.length - good,
  refused: refusals.length,
  unsent,
  withoutResponse: underWay.size,
  successes,
  compared: responseCheck.compared(),
  wrong,
  firstWrong,
  connections: opened,
  accepted: quantiles(accepted),
  refusals: quantiles(refusals),
  behindMs,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
