// Made from openapi.json by `npm run openapi`.
import { Group } from '../../group.ts';
import type { CallOptions } from '../../transport.ts';
import type { Alerts } from '../types.ts';

/** `store.alerts`. */
export class AlertOperations extends Group {
  /** Count alerts by search. */
  count(options?: CallOptions): Promise<Alerts> {
    return this.readAt('/alerts', options);
  }
}
