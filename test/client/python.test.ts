import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { version } from '../../packages/client/package.json';
import { picture } from '../support/pictures.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { installPythonClient, runPython } from './python.ts';
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts';

setDefaultTimeout(120_000);

let petstore: TestPetstore;
let scripted: ScriptedServer;
let folder: TemporaryFolder;
beforeAll(async () => {
  petstore = await startPetstore();
  scripted = startScriptedServer();
  folder = createTemporaryFolder();
  await installPythonClient(petstore.url, folder);
});
afterAll(async () => {
  scripted[Symbol.dispose]();
  folder[Symbol.dispose]();
  await petstore[Symbol.asyncDispose]();
});

const START = `import json, os
from petstore_client import Petstore, PetstoreError, WebhookVerificationError, verify_webhook
store = Petstore(base_url=os.environ["URL"], api_key=os.environ["KEY"])
`;

/** Runs a program with `store`, a client of the service, or of another one. */
const run = (source: string, url = petstore.baseUrl) =>
  runPython(START + source, folder, { URL: url, KEY: petstore.admin.key ?? '' });

describe('the Python client', () => {
  test('reads every page, and keeps integers exact', async () => {
    const output = await run(`
for n in range(105):
    store.pets.create({"name": f"Pet {n}", "categoryId": 9223372036854775807 if n % 2 else 5})
pets = list(store.pets.list(status="available"))
print(len(pets), len({pet["id"] for pet in pets}), {pet["categoryId"] for pet in pets} == {5, 9223372036854775807})
print(len(list(store.pets.list(categoryId=5, limit=7))), len(list(store.pets.list(id=[1, 3, 999999]))))
`);
    expect(output).toBe('105 105 True\n53 2\n');
  });

  test('gets, changes and removes a record, with its entity tag, and adds a photo', async () => {
    await Bun.write(folder.file('photo.jpg'), await picture(60, 40));
    const output = await run(`
pet = store.pets.create({"name": "Willow", "categoryId": 3})
print(store.pets.get(pet["id"]) == pet)
print(store.pets.update(pet["id"], {"status": "pending"})["status"])
print(store.pets.add_photo(pet["id"], open("photo.jpg", "rb").read(), alt="Willow & Rex")["alt"])
try:
    store.pets.update(pet["id"], {"name": "X"}, if_match='"0000000000000000"')
except PetstoreError as error:
    print(error.code, error.status, "read it again" in str(error), error.request_id is not None)
print(store.pets.delete(pet["id"]))
print(store.request("POST", f"/pets/{pet['id']}/restore")["name"])
for call in (lambda: store.pets.get(999999), lambda: store.categories.get(999999)):
    try:
        call()
    except PetstoreError as error:
        print(error.code, error.status)
`);
    expect(output).toBe(
      'True\npending\nWillow & Rex\nprecondition_failed 412 True True\nNone\nWillow\npet_not_found 404\ncategory_not_found 404\n',
    );
  });

  test('follows events from a position', async () => {
    const output = await run(`
after = store.events.position()
pet = store.pets.create({"name": "Willow", "categoryId": 3})
store.pets.delete(pet["id"])
seen = []
for event in store.events.follow(after=after, type=["pet.created", "pet.deleted"]):
    seen.append((event["type"], event["data"]["id"] == pet["id"]))
    if len(seen) == 2:
        break
print(seen)
try:
    next(store.events.follow(after=999999999))
except PetstoreError as error:
    print(error.code)
`);
    expect(output).toBe("[('pet.created', True), ('pet.deleted', True)]\nevents_expired\n");
  });

  test('verifies what a webhook sent, and nothing else', async () => {
    const secret = Buffer.from('a secret of some bytes').toString('base64');
    const body = '{"type":"pet.created","data":{"name":"Zoë 😺","categoryId":9223372036854775807}}';
    const now = Math.floor(Date.now() / 1000);
    const signed = (time: number) =>
      createHmac('sha256', Buffer.from(secret, 'base64'))
        .update(`msg_1.${time}.${body}`)
        .digest('base64');
    const sent = (time: number, signature = `v1,${signed(time)}`) => ({
      'Webhook-Id': 'msg_1',
      'Webhook-Timestamp': String(time),
      'Webhook-Signature': signature,
    });
    const cases = [
      sent(now),
      sent(now, `v1,AAAA v1,${signed(now)}`),
      sent(now, 'v1,AAAA'),
      sent(now - 301),
      { 'Webhook-Id': 'msg_1' },
      sent(now, 'v1,é'),
    ];
    const output = await run(`
for headers in json.loads('''${JSON.stringify(cases)}'''):
    try:
        print(verify_webhook(headers, '''${body}'''.encode(), "whsec_${secret}")["data"]["categoryId"])
    except WebhookVerificationError as error:
        print(error)
`);
    expect(output.split('\n')).toEqual([
      '9223372036854775807',
      '9223372036854775807',
      'No signature fits the body and the secret.',
      'The timestamp is not of the last or next five minutes.',
      'The header webhook-timestamp is missing.',
      'No signature fits the body and the secret.',
      '',
    ]);
  });

  test.each([
    ['503:1,ok', 'store.pets.get(7)', 'done', 2],
    ['503:1,ok', 'store.pets.create({"name": "W", "categoryId": 3})', 'done', 2],
    ['503:1,ok', 'store.pets.update(7, {"name": "W"})', 'service_unavailable', 1],
    ['429:1,ok', 'store.pets.update(7, {"name": "W"})', 'done', 2],
    ['429:31,ok', 'store.pets.get(7)', 'rate_limit_minute', 1],
    ['503:0,503:0,503:0', 'store.pets.get(7)', 'service_unavailable', 3],
    ['500', 'store.pets.get(7)', 'internal_error', 1],
  ])('after %s, %s is %s after %i requests', async (answers, call, outcome, requests) => {
    const id = crypto.randomUUID();
    const output = await run(
      `
try:
    ${call}
    print("done")
except PetstoreError as error:
    print(error.code)
`,
      `${scripted.url}/${answers}/${id}/v1`,
    );
    const log = await fetch(`${scripted.url}/log/${id}`);
    const seen = (await log.json()) as readonly { readonly idempotencyKey?: string }[];
    expect([output.trim(), seen.length]).toEqual([outcome, requests]);
    const keys = new Set(seen.map(({ idempotencyKey }) => idempotencyKey));
    expect(keys.size).toBe(1);
  });

  test('has the version of its package', async () => {
    expect(await run('import petstore_client; print(petstore_client.__version__)')).toBe(
      `${version}\n`,
    );
  });

  test('says what is wrong with an address, an id or a connection', async () => {
    const output = await run(`
try:
    Petstore(base_url="https://petstore.example")
except ValueError as error:
    print(error)
try:
    store.pets.get("7")
except TypeError as error:
    print(error)
try:
    Petstore(base_url="http://127.0.0.1:1/v1").pets.delete(7)
except PetstoreError as error:
    print(error.code, str(error).startswith("Could not reach 127.0.0.1:1"))
`);
    expect(output).toBe(
      "base_url must be the address of the service with /v1: https://petstore.example/v1\nan id is an int, not '7'\nconnection_lost True\n",
    );
  });
});
