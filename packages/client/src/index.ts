export { type ErrorCode, PetstoreError } from './error.ts';
export type { EventPage, FollowOptions } from './events.ts';
export type * from './generated/types.ts';
export type { ChangeOptions, PostOptions } from './group.ts';
export { type Int64, readJson, writeJson } from './json.ts';
export type { List, Page, RateLimit } from './list.ts';
export { Petstore } from './petstore.ts';
export type { OnRetry } from './retry.ts';
export type { CallOptions, PetstoreOptions } from './transport.ts';
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhook.ts';
