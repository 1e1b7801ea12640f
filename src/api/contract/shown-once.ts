import { Failure } from '../../domain/failure.ts';
import type { Result } from './operation.ts';

/**
 * For operations whose first response is the only one with a secret. `refusal` says what the first request made,
 * by its id, and what to do instead of repeating it.
 */
export function shownOnce(refusal: (id: bigint) => string) {
  return {
    refusal,
    /**
     * Returns a result whose body `show` makes once everything is stored, so nothing that is stored can
     * hold the secret.
     */
    resultOf(
      id: bigint,
      location: string,
      show: () => Promise<Pick<Result, 'value' | 'headers'>>,
    ): Result {
      const headers = { location, 'cache-control': 'no-store' };
      return {
        stored: { id },
        headers,
        async complete() {
          const shown = await show();
          return { ...shown, headers: { ...headers, ...shown.headers } };
        },
      };
    },
    /** Refuses a repeat of the request. */
    restore(stored: string): never {
      const { id } = JSON.parse(stored);
      throw new Failure('conflict', refusal(BigInt(id)));
    },
  };
}
