/** Doing something that has no form of its own. */
import { explain } from './components/error-state.tsx';
import { failureOf } from './loading.ts';
import { notify } from './notices.ts';

/** Does something, and says why if it is refused. */
export function attempt(action: () => Promise<unknown>): void {
  action().catch((error) => notify(explain(failureOf(error))));
}
