import { Failure } from '../../domain/failure.ts';
import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';
import type { HttpResponse } from '../../http/response.ts';
import type { LoadShedder } from '../../overload/load-shedder.ts';
import type { Operation } from '../contract/operation.ts';
import type { Authentication } from './authenticate.ts';
import { requireAccess } from './authorize.ts';
import type { FenceWatch } from './fence-watch.ts';
import type { Identify } from './identify.ts';
import type { AdmittedRequest, RequestContext } from './request-context.ts';

/**
 * Checks again what may have changed since a request was authorized. Returns a refusal, or undefined
 * to continue, as the caller that the key stands for now. Throws a `Failure` if it may no longer do this.
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
        takeOver(context, identity);
        return load.refusesWithBody() ? tooBusy(context.operation) : undefined;
      }),
    afterWait: (context) =>
      thenDo(identify(context), (identity) => {
        takeOver(context, identity);
        return fence.isFenced() ? dataMoved(context.operation) : undefined;
      }),
  };
}

/** Lets the request go on with what its key may do now. Throws a `Failure` if that is too little. */
function takeOver(context: AdmittedRequest, identity: Authentication): void {
  if (identity instanceof Failure) throw identity;
  requireAccess({ ...context, identity });
  const request: RequestContext = context;
  request.identity = identity;
  request.caller = identity;
}
