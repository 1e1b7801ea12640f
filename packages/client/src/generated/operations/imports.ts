// Made from openapi.json by `npm run openapi`.
import { type ChangeOptions, Group, type PostOptions } from '../../group.ts';
import type { Int64 } from '../../json.ts';
import { type List, searchOf } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type { Import, ImportSummary, ListImportsQuery, StartImportQuery } from '../types.ts';

/** `store.imports`. */
export class ImportOperations extends Group {
  /** Import a file. */
  start(body: Blob, query: StartImportQuery = {}, options?: PostOptions): Promise<Import> {
    return this.postTo(`/imports${searchOf(query)}`, body, options, true);
  }

  /** List imports. */
  list(query: ListImportsQuery = {}, options?: CallOptions): List<ImportSummary> {
    return this.listAt('/imports', query, options);
  }

  /** Get an import. */
  get(importId: Int64, options?: CallOptions): Promise<Import> {
    return this.readAt(`/imports/${importId}`, options);
  }

  /** Cancel an import. */
  cancel(importId: Int64, options?: ChangeOptions<Import>): Promise<void> {
    return this.changeAt('DELETE', `/imports/${importId}`, undefined, options, () =>
      this.get(importId, options),
    );
  }
}
