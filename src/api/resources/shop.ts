import * as z from 'zod';
import {
  EMPTY_SHOP,
  type IdentifiedShop,
  SHOP_FIELDS,
  type Shop,
  type ShopChange,
  type ShopStorage,
} from '../../domain/shop.ts';
import { newFormSecret, shopIdOf } from '../../domain/shop-id.ts';
import { changes, shows } from '../contract/bodies.ts';
import { defineOperation, type Operation } from '../contract/operation.ts';
import { requireMatch } from '../contract/precondition.ts';
import { recordOut } from '../contract/response-fields.ts';
import { inBody, inResponse } from './profile-fields.ts';

/** What the document says of each field. */
const DESCRIPTIONS: Readonly<Record<keyof Shop, string>> = {
  name: 'The name of the shop.',
  address: 'Its postal address, in several lines.',
  telephone: 'Its telephone number.',
  email: 'Its e-mail address.',
  hours: 'When it is open. Plain text.',
  accentColour:
    'The colour of buttons and links, such as `#2f6f4f`. It is shown darker or lighter where text on it could not be read.',
  howToAdopt: 'What to do to adopt an animal. Plain text.',
};

function shapeOf(schemaOf: typeof inBody): Record<keyof Shop, z.ZodType> {
  const schemas = Object.entries(DESCRIPTIONS).map(([name, description]) => {
    const field = SHOP_FIELDS[name as keyof Shop]; // Each description is of a field.
    return [name, schemaOf(`${description} \`null\` if it is not set.`, field).nullable()];
  });
  return Object.fromEntries(schemas);
}

/** Also the data of an event. */
export const shopSchema = recordOut('Shop', 'What the public is told about the shop.', () => ({
  id: z.uuid().meta({
    description:
      'The name of the shop for programs, such as those of a partner of several shops. It stays the same for good, also where the data is moved or put back.',
  }),
  ...shapeOf(inResponse),
}));

const shopChangeSchema = z
  .object(shapeOf(inBody))
  .partial()
  .meta({ id: 'ShopChange', description: 'The members to change; `null` clears one.' });

const EXAMPLE: IdentifiedShop = {
  id: '6f1c2a84-7b0e-8d53-9a41-0e5b7c92d318',
  ...EMPTY_SHOP,
  name: 'Riverside Animal Shelter',
  address: '12 Mill Lane\nExeter EX2 8AA',
  telephone: '+44 1392 496000',
  email: 'hello@riverside.example',
  accentColour: '#2f6f4f',
};

async function idOf(shop: Pick<ShopStorage, 'formSecret'>): Promise<string> {
  return shopIdOf(await shop.formSecret(newFormSecret()));
}

const getShop = defineOperation({
  id: 'getShop',
  method: 'GET',
  path: '/shop',
  access: 'read',
  stability: 'experimental',
  tag: 'Shop',
  summary: 'Get the shop',
  description: 'Returns what the adoption pages tell about the shop. `null` is not set.',
  success: shows('The shop.', shopSchema, EXAMPLE),
  handle: async (_, { storage }) => {
    const [id, shop] = await Promise.all([idOf(storage.shop), storage.shop.get()]);
    return { status: 200, value: { id, ...shop } };
  },
});

const updateShop = defineOperation({
  id: 'updateShop',
  method: 'PATCH',
  path: '/shop',
  access: 'admin',
  stability: 'experimental',
  tag: 'Shop',
  summary: 'Change the shop',
  description:
    'Changes the members that you send and leaves the others as they are (JSON merge patch, RFC 7396). The adoption pages show the change at once.',
  body: changes('The members to change.', shopChangeSchema, {
    name: EXAMPLE.name,
    accentColour: EXAMPLE.accentColour,
  }),
  success: shows('The changed shop.', shopSchema, EXAMPLE),
  async handle({ body, stamp, ifMatch }, { storage }) {
    // The schema has a member for each field, of the type that the field holds.
    const change = body as ShopChange;
    const id = await idOf(storage.shop);
    const view = (shop: Shop) => ({ id, ...shop });
    const shop = await storage.shop.update(change, stamp, requireMatch(ifMatch, view));
    return { status: 200, value: view(shop) };
  },
});

export const shopOperations: readonly Operation[] = [getShop, updateShop];
