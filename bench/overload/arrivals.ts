/**
 * A crowd as a process of its own: requests that come when they come, whether or not those before
 * were answered. Reads its task as JSON from the environment, prints what it saw as JSON.
 */
import { requestOf } from '../scenarios.ts';
import { type CrowdResult, type CrowdTask, DEADLINE_MS, TASK_VARIABLE } from './crowd.ts';
import { type Line, type LineAnswer, openLine } from './line.ts';
import { loads } from './loads.ts';
import { createJudge } from './verdict.ts';

/** A request under way. */
interface Sent {
  readonly turn: number;
  /** When it should have been sent. */
  readonly dueAt: number;
}

const SECOND_MS = 1_000;
/** How long the end waits for what is under way. */
const ENDING_MS = 3 * SECOND_MS;
const PUMP_MS = 1;
const TURNS = 1_000_000;

const task: CrowdTask = JSON.parse(process.env[TASK_VARIABLE] ?? '');
const load = loads.find(({ name }) => name === task.load);
if (load === undefined) throw new Error(`there is no load ${task.load}`);
const { kinds } = load;
const judge = createJudge(load);
const wires = wireTexts();

const idle: Line[] = [];
const underWay = new Map<Line, Sent>();
const accepted: number[] = [];
const refusals: number[] = [];
let opened = 0;
/** From another place each time, so that no crowd asks what the one before asked. */
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

/** The requests as they stand on the wire, one list for each kind. */
function wireTexts(): readonly (readonly Buffer[])[] {
  const { host } = new URL(task.origin);
  return kinds.map((kind) =>
    kind.load.paths.map((_, turn) => {
      const { method, path, headers, body } = requestOf(kind, task.authorization, turn);
      const length = body === '' ? {} : { 'content-length': body.length };
      const fields = Object.entries({ host, ...headers, ...length });
      const lines = fields.map(([name, value]) => `${name}: ${value}`);
      return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'));
    }),
  );
}

function note(problem: string): void {
  wrong++;
  firstWrong ||= problem;
}

function send(line: Line, dueAt: number): void {
  const turn = turns++;
  const texts = wires[turn % wires.length] ?? [];
  const text = texts[turn % texts.length];
  if (text === undefined) return;
  underWay.set(line, { turn, dueAt });
  line.send(text);
}

async function open(dueAt: number): Promise<void> {
  opened++;
  try {
    send(await openLine(task.origin, take, end), dueAt);
  } catch (error) {
    note(String(error));
  }
}

function end(line: Line): void {
  opened--;
  if (underWay.delete(line)) note('a connection closed under a request');
}

function take(line: Line, response: LineAnswer): void {
  const sent = underWay.get(line);
  underWay.delete(line);
  if (sent === undefined) {
    note('an answer that nobody asked for');
    return;
  }
  const verdict = judge.of(sent.turn, response);
  const milliseconds = performance.now() - sent.dueAt;
  if (verdict === 'success') successes++;
  if (typeof verdict === 'object') note(verdict.wrong);
  else if (sent.dueAt >= countedFrom) {
    (verdict === 'success' ? accepted : refusals).push(milliseconds);
  }
  idle.push(line);
  pump();
}

/** Sends what is due; called at every answer as well, since timers wait for a busy loop. */
function pump(): void {
  const now = performance.now();
  if (isOpenLoop) sendDue(now);
  else if (now < endsAt) {
    for (let line = idle.pop(); line !== undefined; line = idle.pop()) {
      if (now >= countedFrom) offered++;
      send(line, now);
    }
  }
}

/** Whoever finds every connection waiting for an answer goes away: the next comes at its own time. */
function sendDue(now: number): void {
  behindMs = Math.max(behindMs, Math.min(now, endsAt) - nextDue);
  for (; nextDue <= now && nextDue < endsAt; nextDue += gap) {
    const isCounted = nextDue >= countedFrom;
    if (isCounted) offered++;
    const line = idle.pop();
    if (line !== undefined) send(line, nextDue);
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
const result: CrowdResult = {
  offered,
  good,
  late: accepted.length - good,
  refused: refusals.length,
  unsent,
  unanswered: underWay.size,
  successes,
  compared: judge.compared(),
  wrong,
  firstWrong,
  connections: opened,
  accepted: quantiles(accepted),
  refusals: quantiles(refusals),
  behindMs,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
