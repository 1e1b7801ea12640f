import { type WritableJson, writeJson } from '../../http/json.ts';
import type { ApiDocument, DocumentModel, OperationModel } from './document-model.ts';
import { type ExampleRequest, exampleRequest, SAMPLE_FILE } from './samples/example-request.ts';

/** A request of the collection: the operation, and what differs from its example. */
interface Step {
  readonly id: string;
  /** Members of the body. `{{name}}` alone is a variable with a number. */
  readonly body?: Readonly<Record<string, WritableJson>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The variable that keeps the id in the response: of the record, or of the first in a list. */
  readonly keeps?: string;
  /** A variable without which there is nothing to send: no operation adds such a record. */
  readonly needs?: string;
}

const step = (id: string, facts: Omit<Step, 'id'> = {}): Step => ({ id, ...facts });

/** Makes a name another one in each run, so that the collection can be run again. */
const NOW = '{{$timestamp}}';

/** All operations, each after what it needs. What a run adds, it removes, as far as anything can be removed. */
const FOLDERS: Readonly<Record<string, readonly Step[]>> = {
  'Shop and key': [
    step('getUsage'),
    step('getShop'),
    step('updateShop'),
    step('setShopLogo'),
    step('getTasks'),
    step('countAlerts'),
    step('getWork'),
    step('getStats'),
  ],
  Webhooks: [
    step('createWebhook', { keeps: 'webhookId' }),
    step('listWebhooks'),
    step('getWebhook'),
    step('rotateWebhookSecret'),
    step('testWebhook'),
  ],
  Categories: [
    step('createCategory', { body: { name: `Rabbits ${NOW}` }, keeps: 'categoryId' }),
    step('listCategories', { query: { limit: '5' } }),
    step('getCategory'),
    step('updateCategory', { body: { name: `Hares ${NOW}` } }),
  ],
  Animals: [
    step('createPet', { keeps: 'petId' }),
    step('listPets'),
    step('getPet'),
    step('updatePet', { body: { status: 'available', name: 'Chloe II' } }),
    step('listPetHistory'),
    step('listAnimals'),
    step('getProfile'),
    step('updateProfile', { body: { species: 'cat' } }),
    step('getListing'),
    step('listListings'),
    step('countListings'),
  ],
  Photos: [
    step('addPhoto', { keeps: 'photoId' }),
    step('listPhotos'),
    step('getPhoto'),
    step('updatePhoto'),
    step('deletePhoto'),
  ],
  Stays: [
    step('createStay', { keeps: 'stayId' }),
    step('listStays'),
    step('updateStay'),
    step('getStayReport'),
  ],
  Adoptions: [
    step('placeOrder', { body: { petId: '{{petId}}' }, keeps: 'orderId' }),
    step('listOrders'),
    step('getOrder'),
    step('updateOrder'),
    step('updateOrder', { body: { status: 'completed' } }),
    step('returnOrder'),
    step('listEnquiries', { keeps: 'enquiryId' }),
    step('getEnquiry', { needs: 'enquiryId' }),
    step('orderFromEnquiry', { needs: 'enquiryId' }),
    step('updateEnquiry', { body: { status: 'closed' }, needs: 'enquiryId' }),
  ],
  Channels: [
    step('createChannel', { keeps: 'channelId' }),
    step('listChannels'),
    step('getChannel'),
    step('testChannel'),
    step('getChannelFile'),
    step('sendChannel', { query: { anyway: 'true' } }),
    step('listSendings'),
    step('updateChannel'),
    step('deleteChannel'),
  ],
  Imports: [
    step('startImport', { query: { dryRun: 'true' }, keeps: 'importId' }),
    step('listImports'),
    step('getImport'),
    step('cancelImport'),
  ],
  'Events and deliveries': [
    step('listEvents', { query: { limit: '5' } }),
    step('listDeliveries', { keeps: 'deliveryId' }),
    step('retryDelivery', { needs: 'deliveryId' }),
    step('listAudit', { query: { limit: '5' } }),
  ],
  'Keys and people': [
    step('createKey', { keeps: 'keyId' }),
    step('listKeys'),
    step('getKey'),
    step('updateKey'),
    step('getKeyUsage', { query: { per: 'day' } }),
    step('unbanKey'),
    step('rotateKey'),
    step('revokeKey'),
    step('createPerson', { body: { email: `maria.${NOW}@example.org` }, keeps: 'personId' }),
    step('listPeople'),
    step('listStaff'),
    step('getPerson'),
    step('updatePerson'),
    step('invitePerson'),
    step('removePerson'),
  ],
  'What was added is removed': [
    step('updateWebhook'),
    step('deleteWebhook'),
    step('deletePet'),
    // While no animal has it.
    step('deleteCategory'),
    step('restorePet'),
  ],
};

const DESCRIPTION = `Every operation of the service, in an order in which each succeeds: run it as it is, on a service of your own. Set the variable \`apiKey\` to a key with the scope \`admin\`, and for the two requests with a file choose a photo named ${SAMPLE_FILE} in your working directory.`;

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationModel;
}

/** Returns a collection for Postman, Bruno and Insomnia (format 2.1.0) whose requests succeed one after the other. */
export function postmanCollection(document: DocumentModel): ApiDocument {
  const operations = new Map<string, Placed>(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [
        operation.operationId,
        { path, method, operation },
      ]),
    ),
  );
  const item = Object.entries(FOLDERS).map(([name, steps]) => ({
    name,
    item: steps.map((one) => {
      const placed = operations.get(one.id);
      if (placed === undefined) throw new Error(`there is no operation ${one.id}`);
      return itemOf(one, placed, document);
    }),
  }));
  return {
    info: {
      name: 'Petstore',
      description: DESCRIPTION,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: document.servers?.[0]?.url ?? '' },
      { key: 'apiKey', value: '' },
    ],
    item,
  };
}

function itemOf(one: Step, { path, method, operation }: Placed, document: DocumentModel) {
  const example = exampleRequest(document, path, method, operation);
  const query = Object.entries(one.query ?? example.query);
  const search = query.map(([name, value]) => `${name}=${value}`).join('&');
  const url = `{{baseUrl}}${path.replace(/\{(\w+)\}/g, '{{$1}}')}${search && `?${search}`}`;
  const statuses = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
  const tests = [
    `pm.test('succeeds', () => pm.expect(pm.response.code).to.be.oneOf([${statuses.join(', ')}]));`,
    ...(one.keeps === undefined
      ? []
      : [
          'const [record] = [pm.response.json()].flat();',
          `if (record) pm.collectionVariables.set('${one.keeps}', record.id);`,
        ]),
  ];
  const before =
    one.needs === undefined
      ? []
      : [`if (!pm.collectionVariables.get('${one.needs}')) pm.execution.skipRequest();`];
  return {
    name: operation.summary,
    request: { method: method.toUpperCase(), url, ...sentOf(one, example) },
    event: [script('test', tests), ...(before.length > 0 ? [script('prerequest', before)] : [])],
  };
}

function script(listen: string, exec: readonly string[]) {
  return { listen, script: { type: 'text/javascript', exec } };
}

/** Returns the header and the body of a request. */
function sentOf({ body: members = {} }: Step, { body }: ExampleRequest): ApiDocument {
  if (body === undefined) return {};
  const { mediaType, value } = body;
  if (value === undefined) {
    const file = { key: 'file', type: 'file', src: SAMPLE_FILE };
    return { body: { mode: 'formdata', formdata: [file] } };
  }
  // The examples of the document are JSON.
  const text =
    typeof value === 'string' ? value : writeJson({ ...Object(value), ...members } as WritableJson);
  return {
    header: [{ key: 'Content-Type', value: mediaType }],
    body: { mode: 'raw', raw: text.replace(/"(\{\{\w+\}\})"/g, '$1') },
  };
}
