import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'file' };
import type { HttpResponse } from '../http/response.ts';

export const NOTICES_PATH = '/docs/notices';

/** Returns the third-party notices of the service and its pages as text, read from their file. */
export function noticesResponse(): HttpResponse {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return { status: 200, body: Bun.file(notices), headers };
}
