import fc from 'fast-check';
import { CHANNEL_KINDS, CHANNEL_PHOTOS, SENDING_OUTCOMES } from '../../src/domain/channel.ts';
import { anyText, id, int64, of, optional, rows } from './arbitrary-rows.ts';

const flag = fc.constantFrom(0n, 1n);

export const enquiries = rows(
  id,
  ...[int64, optional(id), fc.constantFrom('new', 'answered', 'closed')],
  ...[flag, optional(id), optional(anyText)],
  ...[anyText, optional(anyText), optional(anyText), anyText, optional(anyText)],
  ...[anyText, int64, int64, optional(int64)],
);
export const mails = rows(
  id,
  ...[
    anyText,
    fc.constantFrom('enquiries', 'copy', 'confirm_alert', 'alert'),
    optional(int64),
    optional(anyText),
  ],
  ...[fc.constantFrom('pending', 'delivered', 'failed'), int64, optional(int64), int64],
);
/** The searches of families. */
export const alerts = rows(
  id,
  ...[anyText, anyText, anyText, anyText, anyText, int64, optional(int64), int64],
  ...[int64, optional(int64)],
);

/** Places that get files, and what was sent to them. */
export const channels = rows(
  id,
  ...[fc.constantFrom(...CHANNEL_KINDS), anyText, optional(anyText), optional(anyText)],
  ...[optional(anyText), id, fc.constantFrom(...CHANNEL_PHOTOS)],
  ...[optional(fc.constantFrom('requested', 'sign_in')), int64, int64],
  ...[optional(int64), optional(int64), id, optional(anyText), optional(int64)],
).chain((list) =>
  fc.tuple(
    fc.constant(list),
    of(list, (channelId) =>
      rows(
        id,
        ...[channelId, int64, optional(int64), fc.constantFrom(...SENDING_OUTCOMES), int64, int64],
        ...[int64, anyText, int64, int64, optional(anyText), flag],
      ),
    ),
  ),
);
