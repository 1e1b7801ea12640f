import { join } from 'node:path';
import { webhookHeaders } from '../../../src/webhooks/message.ts';
import { newWebhookSecret } from '../../../src/webhooks/secrets.ts';
import type { ConformanceSuite } from '../suite.ts';

const BODIES = ['{}', '{"type":"pet.created","name":"Žofie 😺"}', '{"id":9223372036854775807}'];

/** A message, the secret of its receiver, and what the receiver should say. */
interface Case {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly verdict: 'accepted' | 'refused';
}

function casesOf(body: string): readonly Case[] {
  const [current, old, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const message = { id: 'evt_4711', timestampSeconds, body };
  const headers = webhookHeaders(message, [current, old]);
  const late = webhookHeaders({ ...message, timestampSeconds: timestampSeconds - 600 }, [current]);
  return [
    { secret: current, headers, body, verdict: 'accepted' },
    { secret: old, headers, body, verdict: 'accepted' },
    { secret: other, headers, body, verdict: 'refused' },
    { secret: current, headers, body: `${body} `, verdict: 'refused' },
    { secret: current, headers: late, body, verdict: 'refused' },
  ];
}

/** The library that receivers in Python use verifies the signatures of webhooks. */
export const signatures: ConformanceSuite = {
  name: 'standardwebhooks for Python',
  async check({ tools }) {
    const cases = BODIES.flatMap(casesOf);
    const lines = cases.map((each) => JSON.stringify(each)).join('\n');
    const program = join(import.meta.dir, 'verify.py');
    const child = Bun.spawn([tools.python('python'), '-W', 'error', program], {
      stdin: new Blob([`${lines}\n`]),
      stderr: 'inherit',
    });
    const verdicts = (await child.stdout.text()).trim().split('\n');
    const expected = cases.map(({ verdict }) => verdict);
    if (verdicts.join() !== expected.join()) {
      throw new Error(`expected ${expected.join()}\nbut got ${verdicts.join()}`);
    }
    return `${cases.length} messages`;
  },
};
