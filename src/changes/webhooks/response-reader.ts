import type { IncomingMessage } from 'node:http';

/** The part of a response that is stored. */
export interface ReadResponse {
  readonly status: number;
  readonly retryAfter?: string;
  readonly body: string;
}

const READ_BYTES_MAX = 16_384;
const KEPT_BYTES = 1_024;
const RETRY_AFTER_LENGTH_MAX = 64;

/** Control characters but tab and line feed, and those that turn the direction of text. */
const CONTROLS = /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * Reads a response to its end, or 16 KiB of its body and calls `cut`, which must close the connection.
 * If the connection ends before, returns what has arrived: the status has said whether it succeeded.
 */
export function readResponse(message: IncomingMessage, cut: () => void): Promise<ReadResponse> {
  const { promise, resolve } = Promise.withResolvers<ReadResponse>();
  const decoder = new TextDecoder();
  let read = 0;
  let body = '';
  const finish = () => {
    const { 'retry-after': retryAfter } = message.headers;
    resolve({
      status: message.statusCode ?? 0,
      ...(retryAfter === undefined
        ? {}
        : { retryAfter: plain(retryAfter).slice(0, RETRY_AFTER_LENGTH_MAX) }),
      body: plain(body),
    });
  };
  message
    .on('data', (chunk: Buffer) => {
      const room = Math.max(0, KEPT_BYTES - read);
      // A character that is cut in two stays in the decoder and is dropped.
      if (room > 0) body += decoder.decode(chunk.subarray(0, room), { stream: true });
      read += chunk.length;
      if (read < READ_BYTES_MAX) return;
      finish();
      cut();
    })
    .on('end', finish)
    .on('error', finish)
    .on('close', finish);
  return promise;
}

function plain(text: string): string {
  return text.replace(CONTROLS, '\ufffd');
}
