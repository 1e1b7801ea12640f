import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';
import type { HttpResponse } from '../../http/response.ts';
import type { LoadShedder } from '../../overload/load-shedder.ts';
import type { Operation } from '../contract/operation.ts';
import { requireAccess } from './authorize.ts';
import type { FenceWatch } from './fence-watch.ts';
import type { Identify } from './identify.ts';
import type { AdmittedRequest } from './request-context.ts';

/**
 * Checks again what may have changed since a request was authorized. Returns a refusal, or undefined
 * to continue. Throws a `Failure` if the key may no longer do this.
 */
export type Recheck = (context: AdmittedRequest) => MaybePromise<HttpResponse | undefined>;

/** What is checked again, by what a request has waited for. */
export interface Rechecks {
  /** The key may have lost its right meanwhile. Only now the request counts as in progress. */
  readonly afterBody: Recheck;
  /** A wait may be much longer than anything may take to have an effect, so it checks everything. */
  readonly afterWait: Recheck;
}

interface RecheckParts {
  readonly load: Pick<LoadShedder, 'refusesWithBody'>;
  readonly fence: Pick<FenceWatch, 'isFenced'>;
  readonly identify: Identify;
  tooBusy(operation: Operation): HttpResponse;
  dataMoved(operation: Operation): HttpResponse;
}

/** Creates the checks. */
export function createRechecks(parts: RecheckParts): Rechecks {
  const { load, fence, identify, tooBusy, dataMoved } = parts;
  return {
    afterBody: (context) =>
      thenDo(identify(context), (identity) => {
        requireAccess({ ...context, identity });
        return load.refusesWithBody() ? tooBusy(context.operation) : undefined;
      }),
    afterWait: (context) =>
      thenDo(identify(context), (identity) => {
        requireAccess({ ...context, identity });
        return fence.isFenced() ? dataMoved(context.operation) : undefined;
      }),
  };
}
