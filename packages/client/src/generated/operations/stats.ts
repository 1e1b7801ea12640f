// Made from openapi.json by `npm run openapi`.
import { Group } from '../../group.ts';
import type { CallOptions } from '../../transport.ts';
import type { Stats } from '../types.ts';

/** `store.stats`. */
export class StatsOperations extends Group {
  /** Get the shop in figures. */
  get(options?: CallOptions): Promise<Stats> {
    return this.readAt('/stats', options);
  }
}
