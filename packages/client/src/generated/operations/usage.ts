// Made from openapi.json by `npm run openapi`.
import { Group } from '../../group.ts';
import type { CallOptions } from '../../transport.ts';
import type { Usage } from '../types.ts';

/** `store.usage`. */
export class UsageOperations extends Group {
  /** Get the usage of your API key. */
  get(options?: CallOptions): Promise<Usage> {
    return this.readAt('/usage', options);
  }
}
