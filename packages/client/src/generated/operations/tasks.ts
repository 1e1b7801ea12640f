// Made from openapi.json by `npm run openapi`.
import { Group } from '../../group.ts';
import type { CallOptions } from '../../transport.ts';
import type { Tasks } from '../types.ts';

/** `store.tasks`. */
export class TasksOperations extends Group {
  /** Get the tasks of the service. */
  get(options?: CallOptions): Promise<Tasks> {
    return this.readAt('/tasks', options);
  }
}
