import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'file' };
import type { HttpResponse } from '../http/response.ts';

/** Where the notices of the work of others are shown. */
export const NOTICES_PATH = '/docs/notices';

/** The notices of all that the service and its pages contain, as text. Read when it is asked for. */
export function noticesAnswer(): HttpResponse {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return { status: 200, body: Bun.file(notices), headers };
}
