import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { verifyWebhook } from 'petstore-client';

/** The example of https://docs.svix.com/receiving/verifying-payloads/how-manual. */
const TIME_S = 1_731_705_121;

afterEach(() => {
  setSystemTime();
});

test('a signature that another implementation made is verified, for five minutes', async () => {
  setSystemTime(new Date(TIME_S * 1000));
  const headers = {
    'webhook-id': 'msg_loFOjxBNrRLzqYUf',
    'webhook-timestamp': `${TIME_S}`,
    'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  };
  const body = '{"event_type":"ping","data":{"success":true}}';
  const secret = 'whsec_plJ3nmyCDGBKInavdOK15jsl';
  expect(Object(await verifyWebhook(headers, body, secret))).toEqual(JSON.parse(body));
  for (const [seconds, fits] of [
    [300, true],
    [301, false],
    [-300, true],
    [-301, false],
  ] as const) {
    setSystemTime(new Date((TIME_S + seconds) * 1000));
    const verified = verifyWebhook(headers, body, secret).then(
      () => true,
      () => false,
    );
    expect(await verified).toBe(fits);
  }
});
