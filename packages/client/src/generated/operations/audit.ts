// Made from openapi.json by `npm run openapi`.
import { Group } from '../../group.ts';
import type { List } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type { AuditLine, ListAuditQuery } from '../types.ts';

/** `store.audit`. */
export class AuditOperations extends Group {
  /** List who changed what. */
  list(query: ListAuditQuery = {}, options?: CallOptions): List<AuditLine> {
    return this.listAt('/audit', query, options);
  }
}
