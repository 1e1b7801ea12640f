import * as z from 'zod';
import { guardProblem } from '../../domain/channel.ts';
import { Failure } from '../../domain/failure.ts';
import { lists, shows } from '../contract/bodies.ts';
import { csvResult, wantsCsv } from '../contract/csv.ts';
import { listPage, pageOf, pageQuery } from '../contract/list-page.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import { trueOrFalseInQuery } from '../contract/request-fields.ts';
import {
  changing,
  channelTestSchema,
  fileSchema,
  LEFT_OUT,
  leftOutValue,
  NO_SUCH_CHANNEL,
  onChannel,
  SENT,
  sendingSchema,
  sendingValue,
} from './channel-values.ts';

const TESTED_ONCE =
  'An earlier request with this Idempotency-Key was for a test: send the next one with another key.';

const DISABLED = 'The channel is disabled: enable it first.';

/** What is sent to channels. */
export const channelSendingOperations = operationsNamed({
  testChannel: defineOperation({
    ...onChannel,
    method: 'POST',
    path: '/channels/{channelId}/test',
    summary: 'Test a channel',
    description:
      'Makes the file, connects, signs in and goes to the folder, within 15 seconds, and sends nothing. The key of an SFTP server is remembered.',
    success: shows('How it went, also if it does not work.', channelTestSchema, {
      ...{ works: true, hostKey: `SHA256:${'x'.repeat(43)}`, name: 'animals.csv', rows: 42 },
      ...LEFT_OUT,
      milliseconds: 312,
    }),
    failures: { conflict: TESTED_ONCE },
    // A refused test does not use up the Idempotency-Key.
    async prepare({ path }, { storage, channels }) {
      NO_SUCH_CHANNEL.orThrow(await storage.channels.find(path.channelId));
      channels.requireTestPlace();
    },
    async handle({ path, stamp }, { storage, channels }) {
      const channel = NO_SUCH_CHANNEL.orThrow(await storage.channels.find(path.channelId));
      return {
        stored: {},
        async complete() {
          const { file, ...outcome } = await channels.test(channel, stamp.at);
          const { name, rows } = file;
          return { value: { ...outcome, name, rows, ...leftOutValue(file) } };
        },
      };
    },
    restore() {
      throw new Failure('conflict', TESTED_ONCE);
    },
  }),
  sendChannel: defineOperation({
    ...onChannel,
    method: 'POST',
    path: '/channels/{channelId}/send',
    summary: 'Send the file of a channel now',
    description:
      'Has the file sent within a second or two, by one instance. A file that is empty, or has over 30 % fewer animals than the last one, would remove them at the place: it is 409 with both numbers, unless `anyway` says otherwise. `listSendings` shows how it went.',
    queryParameters: z.object({
      anyway: trueOrFalseInQuery('With `true`, also a file that is empty or has shrunk.'),
    }),
    success: {
      status: 202,
      description: 'It is sent soon.',
      schema: sendingSchema,
      example: {
        ...SENT,
        ...{ endedAt: null, outcome: 'pending', rows: 0, bytes: 0, leftOutCount: 0, leftOut: [] },
      },
      headers: ['ETag'],
    },
    failures: {
      conflict:
        'The file has 20 animals, and the one sent last had 42: over 30 % fewer. Send it with ?anyway=true if that is right.',
    },
    async prepare({ path, query, stamp }, { storage, channels }) {
      const channel = NO_SUCH_CHANNEL.orThrow(await storage.channels.find(path.channelId));
      if (channel.disabledReason !== null) throw new Failure('conflict', DISABLED);
      if (query.anyway === 'true') return;
      const { rows } = await channels.fileOf(channel, stamp.at);
      const held = guardProblem(rows, channel.sentRows);
      if (held === undefined) return;
      throw new Failure('conflict', `${held} Send it with ?anyway=true if that is right.`);
    },
    async handle({ path, query, stamp }, { storage, channels }) {
      const anyway = query.anyway === 'true';
      const sending = await storage.channels.request(path.channelId, anyway, stamp.at);
      const value = sendingValue(NO_SUCH_CHANNEL.orThrow(sending));
      return changing(channels, { value });
    },
  }),
  listSendings: defineOperation({
    ...onChannel,
    method: 'GET',
    path: '/channels/{channelId}/sendings',
    summary: 'List what was sent to a channel',
    description:
      'Lists the last 100 files for a channel, newest first: how each went, and which animals it left out and why.',
    queryParameters: pageQuery,
    success: lists(
      'A page of sendings.',
      pageOf(sendingSchema, 'Sendings', 'Sendings from the newest on.'),
      [SENT],
    ),
    async handle({ path: { channelId }, query }, { storage, baseUrl }) {
      NO_SUCH_CHANNEL.orThrow(await storage.channels.find(channelId));
      const path = `/channels/${channelId}/sendings`;
      const list = listPage({ baseUrl, path, query });
      return list.result(await storage.channels.sendings(channelId, list.request), sendingValue);
    },
  }),
  getChannelFile: defineOperation({
    ...onChannel,
    method: 'GET',
    path: '/channels/{channelId}/file',
    summary: 'Get the file of a channel',
    description:
      'Returns the file that would be sent now, to send it by hand: asked for `text/csv` as it is, else with what it leaves out.',
    success: {
      status: 200,
      description: 'The file.',
      schema: fileSchema,
      example: { name: 'animals.csv', rows: 1, ...LEFT_OUT, text: 'id,name\r\n15,Oliver\r\n' },
      headers: ['ETag', 'Content-Disposition'],
      csv: 'id,name\r\n15,Oliver\r\n',
    },
    async handle({ path, client, stamp }, { storage, channels }) {
      const channel = NO_SUCH_CHANNEL.orThrow(await storage.channels.find(path.channelId));
      const file = await channels.fileOf(channel, stamp.at);
      if (wantsCsv(client)) return csvResult([file.text], {}, file.name);
      const { name, rows, text } = file;
      return { value: { name, rows, ...leftOutValue(file), text } };
    },
  }),
});
