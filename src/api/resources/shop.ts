import * as z from 'zod';
import { photoFileNames } from '../../domain/photo.ts';
import {
  EMPTY_SHOP,
  type IdentifiedShop,
  LINK_LABEL_MAX,
  SHOP_FIELDS,
  SHOP_LINKS_MAX,
  type Shop,
  type ShopChange,
  type ShopStorage,
} from '../../domain/shop.ts';
import { newFormSecret, shopIdOf } from '../../domain/shop-id.ts';
import type { Upload } from '../../domain/upload.ts';
import { changes, shows } from '../contract/bodies.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import { requireMatch } from '../contract/precondition.ts';
import { nameInBody } from '../contract/request-fields.ts';
import { nameOut, recordOut } from '../contract/response-fields.ts';
import { photoUrlOut, pixelsOut } from './photo-schemas.ts';
import { PHOTO_UPLOAD } from './photos.ts';
import { inBody, inResponse } from './profile-fields.ts';
import { questionsInBody, questionsOut } from './question-schemas.ts';

type FieldName = keyof typeof SHOP_FIELDS;

/** What the document says of each field. */
const DESCRIPTIONS: Readonly<Record<FieldName, string>> = {
  name: 'The name of the shop.',
  address: 'Its postal address, in several lines.',
  telephone: 'Its telephone number.',
  email: 'Its e-mail address.',
  hours: 'When it is open. Plain text.',
  accentColour:
    'The colour of buttons and links, such as `#2f6f4f`. It is shown darker or lighter where text on it could not be read.',
  howToAdopt: 'What to do to adopt an animal. Plain text.',
  town: 'The town that titles of pages name. Otherwise it is taken from the last line of the address.',
  language:
    'The language in which staff write about animals (BCP 47), such as `de`: pages in another one say so to screen readers.',
  imprintUrl: 'The address of the imprint, with `https`.',
  privacyUrl: 'The address of what the shop says about privacy, with `https`.',
  donateUrl: 'Where to donate, with `https`.',
};
const LINKS = `Links to other pages of the shop, at most ${SHOP_LINKS_MAX}. \`null\` if it is not set.`;
const LABEL = 'What the link says.';
const LINK = 'Where it leads, with `https`.';
const LINK_URL = { kind: 'address', max: 500 } as const;
const LOGO = 'The logo of the shop. `null` if it is not set.';

function shapeOf(schemaOf: typeof inBody): Record<FieldName, z.ZodType> {
  const schemas = Object.entries(DESCRIPTIONS).map(([name, description]) => {
    const field = SHOP_FIELDS[name as FieldName]; // Each description is of a field.
    return [name, schemaOf(`${description} \`null\` if it is not set.`, field).nullable()];
  });
  return Object.fromEntries(schemas);
}

const linkOut = recordOut('ShopLink', 'A link to another page of the shop.', () => ({
  label: nameOut(LABEL, LINK_LABEL_MAX),
  url: inResponse(LINK, LINK_URL),
}));
const logoOut = () =>
  z
    .object({
      url: photoUrlOut('JPEG of at most 1,280 pixels in width. It needs no key.'),
      width: pixelsOut('The width of the largest file, in pixels.'),
      height: pixelsOut('The height of the largest file, in pixels.'),
    })
    .nullable()
    .optional()
    .meta({ description: `${LOGO} Events leave it out.` });
const toldShape = () => ({
  id: z.uuid().meta({
    maxLength: 36,
    description:
      'The name of the shop for programs, such as those of a partner of several shops. It stays the same for good, also where the data is moved or put back.',
  }),
  ...shapeOf(inResponse),
  links: z.array(linkOut).max(SHOP_LINKS_MAX).nullable().meta({ description: LINKS }),
  questions: questionsOut(),
});

/** Also the data of an event. */
export const shopSchema = recordOut('Shop', 'What the public is told about the shop.', () => ({
  ...toldShape(),
  logo: logoOut(),
}));

const linkInBody = z.object(
  { label: nameInBody(LABEL, LINK_LABEL_MAX), url: inBody(LINK, LINK_URL) },
  { error: 'must be an object with label and url' },
);

const shopChangeSchema = z
  .object({
    ...shapeOf(inBody),
    links: z
      .array(linkInBody, { error: 'must be a list' })
      .max(SHOP_LINKS_MAX, { error: `must have at most ${SHOP_LINKS_MAX} items` })
      .nullable()
      .meta({ description: LINKS }),
    logo: z
      .null({ error: 'must be null, which removes it: PUT /shop/logo sets it' })
      .meta({ description: '`null` removes the logo; `setShopLogo` sets it.' }),
    questions: questionsInBody,
  })
  .partial()
  .meta({ id: 'ShopChange', description: 'The members to change; `null` clears one.' });

/** Returns what an event says of the shop. */
export function eventShop(data: string) {
  const { logo: _, ...told } = { ...EMPTY_SHOP, ...JSON.parse(data) };
  return told;
}

/** Returns the shop with the address of its logo, which is served beside the interface. */
function shopValue({ logo, ...told }: IdentifiedShop, baseUrl: string) {
  const file = logo && {
    url: baseUrl.replace(/v1$/, 'photos/') + photoFileNames(logo).jpeg,
    width: logo.width,
    height: logo.height,
  };
  return { ...told, logo: file };
}

const EXAMPLE: IdentifiedShop = {
  id: '6f1c2a84-7b0e-8d53-9a41-0e5b7c92d318',
  ...EMPTY_SHOP,
  name: 'Riverside Animal Shelter',
  address: '12 Mill Lane\nExeter EX2 8AA',
  telephone: '+44 1392 496000',
  email: 'hello@riverside.example',
  accentColour: '#2f6f4f',
  town: 'Exeter',
  language: 'en',
  privacyUrl: 'https://riverside.example/privacy',
  links: [{ label: 'Volunteer with us', url: 'https://riverside.example/volunteer' }],
};
const EXAMPLE_BASE = 'https://petstore.example.com/v1';
const EXAMPLE_LOGO = { sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' };
const EXAMPLE_VALUE = shopValue(EXAMPLE, EXAMPLE_BASE);

/** The links of a shop without any are not set. */
const changeOf = ({ links, ...change }: ShopChange): ShopChange =>
  links === undefined ? change : { ...change, links: links?.length === 0 ? null : links };

/** What was made of the logos of the requests under way. */
const taken = new WeakMap<Upload, IdentifiedShop['logo']>();

async function idOf(shop: Pick<ShopStorage, 'formSecret'>): Promise<string> {
  return shopIdOf(await shop.formSecret(newFormSecret()));
}

export const shopOperations = operationsNamed({
  getShop: defineOperation({
    method: 'GET',
    path: '/shop',
    access: 'read',
    stability: 'experimental',
    tag: 'Shop',
    summary: 'Get the shop',
    description: 'Returns what the adoption pages tell about the shop. `null` is not set.',
    success: shows('The shop.', shopSchema, EXAMPLE_VALUE),
    handle: async (_, { storage, baseUrl }) => {
      const [id, shop] = await Promise.all([idOf(storage.shop), storage.shop.get()]);
      return { value: shopValue({ id, ...shop }, baseUrl) };
    },
  }),
  updateShop: defineOperation({
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
    success: shows('The changed shop.', shopSchema, EXAMPLE_VALUE),
    async handle({ body, stamp, ifMatch }, { storage, baseUrl }) {
      // The schema has a member for each field, of the type that the field holds.
      const change = changeOf(body as ShopChange);
      const id = await idOf(storage.shop);
      const view = (shop: Shop) => shopValue({ id, ...shop }, baseUrl);
      const shop = await storage.shop.update(change, stamp, requireMatch(ifMatch, view));
      return { value: view(shop) };
    },
  }),
  setShopLogo: defineOperation({
    method: 'PUT',
    path: '/shop/logo',
    access: 'admin',
    stability: 'experimental',
    tag: 'Shop',
    summary: 'Set the logo',
    description:
      'Sets the logo of the shop, in place of the one before. The body is the file itself, which is taken as that of a photo. `updateShop` with `{"logo": null}` removes it.',
    upload: PHOTO_UPLOAD,
    success: shows('The changed shop.', shopSchema, {
      ...EXAMPLE_VALUE,
      logo: {
        url: `https://petstore.example.com/photos/${EXAMPLE_LOGO.sha256}-640.jpg`,
        width: 640,
        height: 320,
      },
    }),
    async prepare({ caller, upload }, { photos }) {
      if (upload === undefined) throw new Error('a logo has no file');
      taken.set(upload, await photos.take(upload, caller.familyId));
    },
    async handle({ stamp, upload }, { storage, baseUrl }) {
      const logo = upload && taken.get(upload);
      if (logo == null) throw new Error('a logo was not decoded');
      const id = await idOf(storage.shop);
      const shop = await storage.shop.update({ logo }, stamp, () => {});
      return { value: shopValue({ id, ...shop }, baseUrl) };
    },
  }),
});
