import { verifyWebhook, WebhookVerificationError } from 'petstore-client';
import { type Check, equal } from './check.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const BODY =
  '{"id":12,"type":"pet.created","timestamp":"2026-11-21T15:04:05.000Z",' +
  '"data":{"id":7,"name":"Żółw","categoryId":9223372036854775807,"status":"available"}}';

/** Signs as the specification says, by itself. */
async function sign(secret: string, id: string, time: number, body: string): Promise<string> {
  const bytes = Uint8Array.from(atob(secret.slice('whsec_'.length)), (c) => c.charCodeAt(0));
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign']);
  const text = new TextEncoder().encode(`${id}.${time}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, text));
  return `v1,${btoa(String.fromCharCode(...signature))}`;
}

async function headersAt(secondsFromNow: number, body = BODY): Promise<Record<string, string>> {
  const time = Math.floor(Date.now() / 1000) + secondsFromNow;
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': `${time}`,
    'webhook-signature': await sign(SECRET, 'msg_1', time, body),
  };
}

/** Returns why it is refused. */
async function refused(headers: Record<string, string>, body = BODY, secret = SECRET) {
  const error = await verifyWebhook(headers, body, secret).catch((thrown: unknown) => thrown);
  if (error instanceof WebhookVerificationError) return error.message;
  throw new Error('It was not refused.');
}

/** Standard Webhooks 1.0. */
export const webhookChecks: readonly Check[] = [
  {
    name: 'a signed webhook is returned as its event, with exact ids',
    async run() {
      const headers = await headersAt(0);
      const bytes = new TextEncoder().encode(BODY);
      for (const [given, body] of [
        [headers, BODY],
        [headers, bytes],
        [new Headers(headers), bytes],
      ] as const) {
        const event = await verifyWebhook(given, body, SECRET);
        if (event.type !== 'pet.created') throw new Error(`The type is ${event.type}.`);
        equal([event.data.categoryId, event.data.name], [9223372036854775807n, 'Żółw']);
      }
    },
  },
  {
    name: 'one of several signatures suffices, and other versions are passed over',
    async run() {
      const headers = await headersAt(0);
      const time = Number(headers['webhook-timestamp']);
      const other = await sign(OTHER_SECRET, 'msg_1', time, BODY);
      const both = `v1a,AAAA v1,%%% v1, ${other} ${headers['webhook-signature']}`;
      await verifyWebhook({ ...headers, 'webhook-signature': both }, BODY, SECRET);
      await refused({ ...headers, 'webhook-signature': other });
      const asOther = String(headers['webhook-signature']).replace('v1,', 'v2,');
      await refused({ ...headers, 'webhook-signature': asOther });
    },
  },
  {
    name: 'another body, id, time or secret is refused',
    async run() {
      const headers = await headersAt(0);
      await refused(headers, `${BODY} `);
      await refused(headers, BODY, OTHER_SECRET);
      await refused({ ...headers, 'webhook-id': 'msg_2' });
      const time = Number(headers['webhook-timestamp']);
      await refused({ ...headers, 'webhook-timestamp': `${time - 1}` });
      for (const name of Object.keys(headers)) {
        equal(await refused({ ...headers, [name]: '' }), `The header ${name} is missing.`);
      }
      equal(await refused({}), 'The header webhook-id is missing.');
    },
  },
  {
    name: 'a timestamp may be five minutes off, and no more',
    async run() {
      for (const seconds of [-240, 240])
        await verifyWebhook(await headersAt(seconds), BODY, SECRET);
      for (const seconds of [-310, 400]) await refused(await headersAt(seconds));
      await refused({ ...(await headersAt(0)), 'webhook-timestamp': 'now' });
    },
  },
];
