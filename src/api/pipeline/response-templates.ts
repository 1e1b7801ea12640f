import type { Cors } from '../../http/cors.ts';
import type { HeaderValues } from '../../http/headers.ts';
import type { HttpResponse } from '../../http/response.ts';
import { createResponseTemplate, type ResponseTemplate } from '../../http/response-template.ts';
import { deprecationHeaders } from '../contract/deprecation.ts';
import type { Operation } from '../contract/operation.ts';

const NOT_MODIFIED = 304;

/** The constant headers of the interface, and the templates that have them built in. */
export interface ResponseTemplates {
  /** Returns the headers of every response of an operation, errors included. */
  constantHeaders(operation: Operation | undefined): HeaderValues;
  /** Returns the template of an operation for a status, if there is one. */
  find(operation: Operation, status: number): ResponseTemplate | undefined;
  /** Attaches the template of an operation to a response, if there is one for the status. */
  attach<R extends HttpResponse>(operation: Operation, response: R): R;
  /** Prepares an error that is sent often. The result returns it for an operation. */
  prepareError(response: HttpResponse): (operation: Operation | undefined) => HttpResponse;
}

/** Compiles the templates of all operations: one for success and one for 304. */
export function createResponseTemplates(
  operations: readonly Operation[],
  { baseUrl, cors }: { readonly baseUrl: string; readonly cors: Pick<Cors, 'enabled'> },
): ResponseTemplates {
  const vary = { vary: cors.enabled ? 'Authorization, Cookie, Origin' : 'Authorization, Cookie' };
  const constants = new Map<string, HeaderValues>();
  const templates = new Map<string, ReadonlyMap<number, ResponseTemplate>>();

  for (const { id, deprecation, success } of operations) {
    const constant = { ...vary, ...(deprecation && deprecationHeaders(deprecation, baseUrl)) };
    constants.set(id, constant);
    const statuses = [success.status, NOT_MODIFIED];
    templates.set(
      id,
      new Map(statuses.map((status) => [status, createResponseTemplate(status, constant)])),
    );
  }

  const constantHeaders = (operation: Operation | undefined) =>
    (operation && constants.get(operation.id)) ?? vary;

  const find = (operation: Operation, status: number) => templates.get(operation.id)?.get(status);

  return {
    constantHeaders,
    find,
    attach(operation, response) {
      if (response.template !== undefined) return response;
      const template = find(operation, response.status);
      return template === undefined ? response : { ...response, template };
    },
    prepareError(response) {
      const prepared = new Map(
        [undefined, ...operations].map((operation) => {
          const template = createResponseTemplate(response.status, constantHeaders(operation));
          return [operation?.id, { ...response, template }];
        }),
      );
      return (operation) => prepared.get(operation?.id) ?? response;
    },
  };
}
