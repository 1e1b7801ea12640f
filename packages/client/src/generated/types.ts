// Made from openapi.json by `npm run openapi`.
export type * from './types/categories.ts';
export type * from './types/error-code.ts';
export type * from './types/events.ts';
export type * from './types/imports.ts';
export type * from './types/keys.ts';
export type * from './types/listings.ts';
export type * from './types/orders.ts';
export type * from './types/pets.ts';
export type * from './types/shared.ts';
export type * from './types/stats.ts';
export type * from './types/usage.ts';
export type * from './types/webhooks.ts';
