// Made from openapi.json by `npm run openapi`.
import { Group } from '../../group.ts';
import type { CallOptions } from '../../transport.ts';
import type { Work } from '../types.ts';

/** `store.work`. */
export class WorkOperations extends Group {
  /** Get what there is to do. */
  get(options?: CallOptions): Promise<Work> {
    return this.readAt('/work', options);
  }
}
