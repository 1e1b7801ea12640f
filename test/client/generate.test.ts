import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { generate } from '../../packages/client/generate/generate.ts';
import type { DocumentModel, OperationModel } from '../../src/api/openapi/document-model.ts';

const OPENAPI = join(import.meta.dir, '../../openapi.json');
const document: DocumentModel = JSON.parse(readFileSync(OPENAPI, 'utf8'));
const files = generate(document);

/** The generated text for operations that answer with one record each. */
function generated(operations: Readonly<Record<string, readonly [method: string, path: string]>>) {
  const paths: Record<string, Record<string, OperationModel>> = {};
  for (const [operationId, [method, path]] of Object.entries(operations)) {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Key' } } };
    const responses = { 200: { content } };
    paths[path] = { ...paths[path], [method]: { operationId, summary: operationId, responses } };
  }
  const schemas = { Key: { type: 'object', properties: { id: { type: 'integer' } } } };
  const made = [...generate({ paths, components: { schemas } })];
  const methods = made.filter(([path]) => path.includes('/operations/'));
  return { methods: methods.map(([, text]) => text).join('\n') };
}

describe('the generated part of the client', () => {
  test('names its methods after the verbs of the operations', () => {
    const { methods } = generated({
      createKey: ['post', '/keys'],
      rotateKey: ['post', '/keys/{keyId}/rotate'],
      getKeyUsage: ['get', '/keys/{keyId}/usage'],
      createWebhook: ['post', '/webhooks'],
      rotateWebhookSecret: ['post', '/webhooks/{webhookId}/secret'],
      listDeliveries: ['get', '/webhooks/{webhookId}/deliveries'],
      retryDelivery: ['post', '/webhooks/{webhookId}/deliveries/{deliveryId}/retry'],
      listCategories: ['get', '/categories'],
      placeOrder: ['post', '/store/orders'],
      getStats: ['get', '/stats'],
    });
    const names = [...methods.matchAll(/^ {2}(\w+)\(/gm)].map(([, name]) => name);
    expect(names).toEqual([
      ...['list', 'place', 'create', 'rotateSecret', 'deliveries', 'retryDelivery'],
      ...['create', 'rotate', 'usage', 'get'],
    ]);
    expect(methods).toContain('retryDelivery(webhookId: Int64, deliveryId: Int64, options?');
    const oneLine = methods.replace(/\s+/g, ' ');
    expect(oneLine).toContain("this.postTo('/store/orders', undefined, options, true)");
    expect(oneLine).toContain(`this.postTo(\`/keys/$\{keyId}/rotate\`, undefined, options)`);
  });

  test('has number for ids of the service, and Int64 for others', () => {
    const text = [...files.values()].join();
    expect(text).toMatch(/interface Pet \{[^}]*\n {2}id: number;[^}]*\n {2}categoryId: Int64;/);
    expect(text).toMatch(/interface NewPet \{[^}]*\n {2}status\?: PetStatus \| undefined;/);
  });

  test('declares no field and no list of types twice', () => {
    const text = [...files.values()].join();
    expect(text).toMatch(/interface IssuedKey extends Key \{/);
    expect(text).toMatch(/interface CreatedWebhook extends Webhook \{/);
    expect(text).toMatch(
      /interface Import extends ImportSummary \{\n[^}]*\n {2}rejectedRows: readonly RejectedRow\[\];\n[^}]*\}/,
    );
    expect(text).toMatch(/interface Delivery \{[^}]*\n {2}type: Event\['type'\];/);
    // One list of the events, and one of all that the audit shows.
    expect(text.match(/'pet\.created'/g)).toHaveLength(2);
  });

  test('names a list of words that fields of one name share', () => {
    const text = [...files.values()].join();
    expect(text).toContain("export type Sex = 'female' | 'male';");
    expect(text).toContain('  sex: Sex | null;');
    expect(text).toContain('  sex?: Sex | readonly Sex[] | undefined;');
    expect(text).toContain('  scopes: readonly Scope[];');
    expect(text).toContain('  species: Partial<Record<Species, number>>;');
    // The words of `status` and `plan` differ from record to record.
    expect(text).not.toMatch(/export type (Status|Plan) /);
  });

  test('says what each field is, also where it may be null', () => {
    const text = [...files.values()].join();
    expect(text).toContain(
      '/** Its weight in grams. `null` if it is not known. */\n  weightGrams: number | null;',
    );
    expect(text).toMatch(/interface Profile extends PublicProfile \{/);
    expect(text).toContain('categoryId: readonly CategoryFacet[];');
  });

  test('puts a type into the file of the group that uses it, or of those that several use', () => {
    const holding = (type: string) =>
      [...files]
        .filter(([, text]) => text.includes(`export type ${type} `))
        .map(([path]) => basename(path));
    for (const [type, group] of [
      ['PetStatus', 'shared-words'],
      ['OrderStatus', 'shared-words'],
      ['EventPosition', 'events'],
      ['ServiceErrorCode', 'error-code'],
    ] as const) {
      expect(holding(type)).toEqual([`${group}.ts`]);
    }
  });

  test('lets a record that adds fields to another extend it', () => {
    const text = [...files.values()].join();
    expect(text).toMatch(/interface IssuedKey extends Key \{[^}]*\n {2}key: string;\n\}/);
    expect(text).toContain('interface OrderEvent {');
  });
});
