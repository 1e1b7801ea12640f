// Made from openapi.json by `npm run openapi`.
import { Group } from '../../group.ts';
import { searchOf } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type { GetStayReportQuery, StayReport } from '../types.ts';

/** `store.reports`. */
export class StayReportOperations extends Group {
  /** Count who came and who left. */
  get(query: GetStayReportQuery = {}, options?: CallOptions): Promise<StayReport> {
    return this.readAt(`/reports/stays${searchOf(query)}`, options);
  }
}
