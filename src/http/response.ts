import type { HeaderValues } from './headers.ts';
import type { ResponseTemplate } from './response-template.ts';

/** A response before it becomes the runtime's `Response`. */
export interface HttpResponse {
  readonly status: number;
  /** The whole body, or null for a status without one. A file is sent without being read into memory. */
  readonly body: string | Blob | null;
  /** The same body in brotli, beside one in gzip. */
  readonly brotli?: Blob | undefined;
  /** Headers besides those that every response carries. Names in lower case. */
  readonly headers: HeaderValues;
  /** The template that has the constant headers of this response built in. */
  readonly template?: ResponseTemplate | undefined;
  /** Left out of the request log, which only counts responses of this kind. */
  readonly unlogged?: true;
}

/** A response whose body is text. */
export interface TextResponse extends HttpResponse {
  readonly body: string | null;
}

export const JSON_TYPE = 'application/json';
