import * as z from 'zod';
import { type Category, categoryInUse, nameTaken } from '../../domain/category.ts';
import { Failure } from '../../domain/failure.ts';
import { thenDo } from '../../domain/maybe-promise.ts';
import { CATEGORY_NAME_MAX } from '../../domain/name.ts';
import { PAGE_LIMIT_MAX } from '../../domain/page.ts';
import { JSON_TYPE } from '../../http/response.ts';
import { dependsOnPage, dependsOnRecord } from '../contract/dependency.ts';
import {
  assignedIdOut,
  cursorInQuery,
  int64InPath,
  limitInQuery,
  nameInBody,
  nameOut,
} from '../contract/fields.ts';
import { listPage } from '../contract/list-page.ts';
import { defineOperation, MERGE_PATCH_TYPES, type Operation } from '../contract/operation.ts';
import { requireMatch } from '../contract/precondition.ts';

const NAME = 'The name of the category. No two names differ only in case.';

const newCategorySchema = z
  .object({ name: nameInBody(NAME, CATEGORY_NAME_MAX) })
  .meta({ id: 'NewCategory', description: 'A category to add.' });

const categoryChangeSchema = z
  .object({ name: nameInBody(NAME, CATEGORY_NAME_MAX).optional() })
  .meta({ id: 'CategoryChange', description: 'The changes to make to a category.' });

export const categorySchema = z
  .object({
    id: assignedIdOut('Unique identifier assigned by the service on creation.'),
    name: nameOut(NAME, CATEGORY_NAME_MAX),
  })
  .meta({ id: 'Category', description: 'A kind of animal.' });

const pathParameters = z.object({ categoryId: int64InPath('Id of the category.') });

/** Returns the public fields of a category. */
export function categoryValue({ id, name }: Category) {
  return { id, name };
}

const DOGS = { id: 1n, name: 'Dog' };
const CATS = { id: 2n, name: 'Cat' };

const NO_SUCH_CATEGORY = 'There is no category with this id.';
const TAKEN = nameTaken(DOGS).message;
const IN_USE = categoryInUse(1n, 14_123).message;

function notFound(): Failure {
  return new Failure('category_not_found', NO_SUCH_CATEGORY);
}

function found(category: Category | undefined): Category {
  if (category === undefined) throw notFound();
  return category;
}

const listCategories = defineOperation({
  id: 'listCategories',
  method: 'GET',
  path: '/categories',
  access: 'read',
  stability: 'beta',
  cacheable: true,
  tag: 'Categories',
  summary: 'List categories',
  description: 'Lists categories in ascending order of id. Follow the Link header for more pages.',
  queryParameters: z.object({ limit: limitInQuery, cursor: cursorInQuery }),
  success: {
    status: 200,
    description: 'A page of categories.',
    schema: z
      .array(categorySchema)
      .max(PAGE_LIMIT_MAX)
      .meta({ id: 'Categories', description: 'Categories in ascending order of id.' }),
    example: [DOGS, CATS],
    headers: ['Link', 'ETag'],
  },
  failures: {},
  handle({ query }, { storage, baseUrl }) {
    const list = listPage({ baseUrl, path: '/categories', filters: {}, query });
    return thenDo(storage.categories.list(list.request), (page) => ({
      ...list.result(page, categoryValue),
      dependsOn: dependsOnPage('category', {}, list.request, page),
    }));
  },
});

const createCategory = defineOperation({
  id: 'createCategory',
  method: 'POST',
  path: '/categories',
  access: 'write',
  stability: 'beta',
  tag: 'Categories',
  summary: 'Add a category',
  description: 'Adds a category. Its name must differ from all others in more than case.',
  body: {
    schema: newCategorySchema,
    mediaTypes: [JSON_TYPE],
    description: 'The category to add.',
    example: { name: 'Cat' },
  },
  success: {
    status: 201,
    description: 'Category added.',
    schema: categorySchema,
    example: CATS,
    headers: ['Location', 'ETag'],
  },
  failures: { conflict: TAKEN },
  handle({ body, stamp }, { storage, baseUrl }) {
    return thenDo(storage.categories.create(body.name, stamp), (category) => ({
      status: 201,
      value: categoryValue(category),
      headers: { location: `${baseUrl}/categories/${category.id}` },
    }));
  },
});

const getCategory = defineOperation({
  id: 'getCategory',
  method: 'GET',
  path: '/categories/{categoryId}',
  access: 'read',
  stability: 'beta',
  cacheable: true,
  tag: 'Categories',
  summary: 'Get a category',
  description: 'Returns a single category by id.',
  pathParameters,
  pathFailure: 'category_not_found',
  success: {
    status: 200,
    description: 'The requested category.',
    schema: categorySchema,
    example: DOGS,
    headers: ['ETag'],
  },
  failures: { category_not_found: NO_SUCH_CATEGORY },
  handle({ path }, { storage }) {
    return thenDo(storage.categories.find(path.categoryId), (category) => ({
      status: 200,
      value: categoryValue(found(category)),
      dependsOn: dependsOnRecord('category', path.categoryId),
    }));
  },
});

const updateCategory = defineOperation({
  id: 'updateCategory',
  method: 'PATCH',
  path: '/categories/{categoryId}',
  access: 'write',
  stability: 'beta',
  tag: 'Categories',
  summary: 'Rename a category',
  description: 'Changes the name of a category (JSON merge patch, RFC 7396).',
  pathParameters,
  pathFailure: 'category_not_found',
  body: {
    schema: categoryChangeSchema,
    mediaTypes: MERGE_PATCH_TYPES,
    description: 'The members to change.',
    example: { name: 'Dog' },
  },
  success: {
    status: 200,
    description: 'The changed category.',
    schema: categorySchema,
    example: DOGS,
    headers: ['ETag'],
  },
  failures: {
    category_not_found: NO_SUCH_CATEGORY,
    conflict: TAKEN,
  },
  handle({ path, body, stamp, ifMatch }, { storage }) {
    const condition = requireMatch(ifMatch, categoryValue);
    const renamed = storage.categories.rename(path.categoryId, body.name, stamp, condition);
    return thenDo(renamed, (category) => ({ status: 200, value: categoryValue(found(category)) }));
  },
});

const deleteCategory = defineOperation({
  id: 'deleteCategory',
  method: 'DELETE',
  path: '/categories/{categoryId}',
  access: 'write',
  stability: 'beta',
  tag: 'Categories',
  summary: 'Remove a category',
  description: 'Removes a category. Refused while any animal refers to it.',
  pathParameters,
  pathFailure: 'category_not_found',
  success: { status: 204, description: 'Category removed.', headers: [] },
  failures: {
    category_not_found: NO_SUCH_CATEGORY,
    conflict: IN_USE,
  },
  handle({ path, stamp, ifMatch }, { storage }) {
    const condition = requireMatch(ifMatch, categoryValue);
    return thenDo(storage.categories.remove(path.categoryId, stamp, condition), (removed) => {
      if (!removed) throw notFound();
      return { status: 204 };
    });
  },
});

export const categoryOperations: readonly Operation[] = [
  listCategories,
  createCategory,
  getCategory,
  updateCategory,
  deleteCategory,
];
