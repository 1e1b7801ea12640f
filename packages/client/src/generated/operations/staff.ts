// Made from openapi.json by `npm run openapi`.
import { Group } from '../../group.ts';
import type { List } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type { ListStaffQuery, StaffMember } from '../types.ts';

/** `store.staff`. */
export class StaffOperations extends Group {
  /** List who may answer enquiries. */
  list(query: ListStaffQuery = {}, options?: CallOptions): List<StaffMember> {
    return this.listAt('/staff', query, options);
  }
}
