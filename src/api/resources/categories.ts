import * as z from 'zod';
import { type Category, categoryInUse, nameTaken } from '../../domain/category.ts';
import { CATEGORY_NAME_MAX, foldCase } from '../../domain/name.ts';
import {
  changes,
  creates,
  creating,
  lists,
  removes,
  removing,
  showing,
  shows,
  takes,
} from '../contract/bodies.ts';
import { cursorInQuery, limitInQuery, listPage, pageOf } from '../contract/list-page.ts';
import { defineOperation, Missing, operationsNamed } from '../contract/operation.ts';
import { requireMatch } from '../contract/precondition.ts';
import {
  int64InPath,
  int64ListInQuery,
  nameInBody,
  textInQuery,
} from '../contract/request-fields.ts';
import { assignedIdOut, nameOut, recordOut } from '../contract/response-fields.ts';

const NAME = 'The name of the category. No two names differ only in case.';

const newCategorySchema = z
  .object({ name: nameInBody(NAME, CATEGORY_NAME_MAX) })
  .meta({ id: 'NewCategory', description: 'A category to add.' });

const categoryChangeSchema = z
  .object({ name: nameInBody(NAME, CATEGORY_NAME_MAX).optional() })
  .meta({ id: 'CategoryChange', description: 'The changes to make to a category.' });

export const categorySchema = recordOut('Category', 'A kind of animal.', () => ({
  id: assignedIdOut('Unique identifier assigned by the service on creation.'),
  name: nameOut(NAME, CATEGORY_NAME_MAX),
}));

/** Returns the public fields of a category. */
export function categoryValue({ id, name }: Category) {
  return { id, name };
}

const DOGS = { id: 1n, name: 'Dog' };
const CATS = { id: 2n, name: 'Cat' };

const NO_SUCH_CATEGORY = new Missing('category_not_found', 'category');
const TAKEN = nameTaken(DOGS).message;
const IN_USE = categoryInUse(1n, 3).message;

const common = { stability: 'beta', tag: 'Categories' } as const;
const onCategory = {
  ...common,
  path: '/categories/{categoryId}',
  pathParameters: z.object({ categoryId: int64InPath('Id of the category.') }),
  missing: NO_SUCH_CATEGORY,
} as const;

export const categoryOperations = operationsNamed({
  listCategories: defineOperation({
    ...common,
    method: 'GET',
    path: '/categories',
    access: 'read',
    cacheable: true,
    summary: 'List categories',
    description:
      'Lists categories in ascending order of id. Follow the Link header for more pages.',
    queryParameters: z.object({
      limit: limitInQuery,
      cursor: cursorInQuery,
      id: int64ListInQuery('Only categories with these ids, comma-separated or repeated.'),
      name: textInQuery(
        'Only the category with this name, ignoring case.',
        CATEGORY_NAME_MAX,
        'Cat',
      ),
    }),
    success: lists(
      'A page of categories.',
      pageOf(categorySchema, 'Categories', 'Categories in ascending order of id.'),
      [DOGS, CATS],
    ),
    async handle({ query }, { storage, baseUrl }) {
      const { id: ids, name } = query;
      const filters = { id: ids?.join(','), name };
      const nameFolded = name === undefined ? undefined : foldCase(name);
      const list = listPage({ baseUrl, path: '/categories', filters, query });
      const page = await storage.categories.list(list.request, { ids, nameFolded });
      return list.result(page, categoryValue);
    },
  }),
  createCategory: defineOperation({
    ...common,
    method: 'POST',
    path: '/categories',
    access: 'write',
    summary: 'Add a category',
    description: 'Adds a category. Its name must differ from all others in more than case.',
    body: takes('The category to add.', newCategorySchema, { name: 'Cat' }),
    success: creates('Category added.', categorySchema, CATS),
    failures: { conflict: TAKEN },
    async handle({ body, stamp }, { storage, baseUrl, maxCategories }) {
      const category = await storage.categories.create(body.name, stamp, maxCategories);
      return creating(`${baseUrl}/categories`, categoryValue(category));
    },
  }),
  getCategory: defineOperation({
    ...onCategory,
    method: 'GET',
    access: 'read',
    cacheable: true,
    summary: 'Get a category',
    description: 'Returns a single category by id.',
    success: shows('The requested category.', categorySchema, DOGS),
    handle: ({ path }, { storage }) =>
      showing(NO_SUCH_CATEGORY, storage.categories.find(path.categoryId), categoryValue),
  }),
  updateCategory: defineOperation({
    ...onCategory,
    method: 'PATCH',
    access: 'write',
    summary: 'Rename a category',
    description: 'Changes the name of a category (JSON merge patch, RFC 7396).',
    body: changes('The members to change.', categoryChangeSchema, { name: 'Dog' }),
    success: shows('The changed category.', categorySchema, DOGS),
    failures: { conflict: TAKEN },
    handle({ path, body, stamp, ifMatch }, { storage }) {
      const condition = requireMatch(ifMatch, categoryValue);
      const renamed = storage.categories.rename(path.categoryId, body.name, stamp, condition);
      return showing(NO_SUCH_CATEGORY, renamed, categoryValue);
    },
  }),
  deleteCategory: defineOperation({
    ...onCategory,
    method: 'DELETE',
    access: 'write',
    summary: 'Remove a category',
    description: 'Removes a category. Refused while any animal refers to it.',
    success: removes('Category removed.'),
    failures: { conflict: IN_USE },
    handle({ path, stamp, ifMatch }, { storage }) {
      const condition = requireMatch(ifMatch, categoryValue);
      return removing(
        NO_SUCH_CATEGORY,
        storage.categories.remove(path.categoryId, stamp, condition),
      );
    },
  }),
});
