import * as z from 'zod';
import {
  ACCOUNT_ID_MAX,
  CHANNEL_ADDRESS_MAX,
  CHANNEL_DISABLED_REASONS,
  CHANNEL_KINDS,
  CHANNEL_PHOTOS,
  CHANNEL_STATUSES,
  type Channel,
  type ChannelFile,
  type ChannelService,
  EVERY_MAX_MS,
  EVERY_MIN_MS,
  LEFT_OUT_MAX,
  LEFT_OUT_REASONS,
  PASSWORD_MAX,
  PRIVATE_KEY_MAX,
  SENDING_OUTCOMES,
  type Sending,
} from '../../domain/channel.ts';
import { DAY_MS, durationFromText, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import { Missing, type Result } from '../contract/operation.ts';
import { int64InPath, oneOf, orRequired, textInBody } from '../contract/request-fields.ts';
import {
  ANY_TEXT,
  assignedIdOut,
  countOut,
  recordOut,
  textOut,
  timeOut,
  timeText,
  timeTextOrNull,
  withTimeTexts,
} from '../contract/response-fields.ts';

/** Channels as the interface shows them, and what requests say of one. */

/** A text in responses and in requests; `rule` says what is wrong with one that does not match. */
function text(description: string, maxLength: number, pattern: string, rule = '') {
  const meta = { description, minLength: 1, maxLength, pattern };
  const taken = z
    .string({ error: orRequired('must be a string') })
    .max(maxLength, { error: `must have at most ${maxLength} characters` })
    .regex(new RegExp(pattern), { error: rule });
  return { out: z.string().meta(meta), taken: taken.meta(meta) };
}

const ADDRESS = text(
  'The folder that takes the file, like `ftps://USER@HOST/FOLDER`, with `ftps`, `sftp` or `ftp`, and without a password.',
  CHANNEL_ADDRESS_MAX,
  '^(?:ftps?|sftp)://\\S+$',
  'must be like ftps://USER@HOST/FOLDER, with ftp, ftps or sftp',
);
const ACCOUNT = text(
  'The id of the shelter at the place: Petfinder names the file after it.',
  ACCOUNT_ID_MAX,
  '^[A-Za-z0-9_-]+$',
  'must have only letters, digits, - and _',
);
const EVERY = text(
  'How often the file is sent: seconds, minutes, hours or days, like `24h`. A day or more means at night.',
  9,
  '^[1-9][0-9]{0,7}[smhd]$',
  'must be like 30s, 15m, 24h or 7d',
);
const HOST_KEY = text(
  'The fingerprint of the key of an SFTP server, as OpenSSH shows it. It is remembered at the first connection; another one is refused before the password is sent. Null forgets it.',
  50,
  '^SHA256:[A-Za-z0-9+/]{43}$',
  'must be like SHA256:…',
);
const PRIVATE_KEY = text(
  'A private key for SFTP, without a passphrase, instead of a password. It is stored encrypted and never shown.',
  PRIVATE_KEY_MAX,
  '^-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]+$',
  'must be a private key without a passphrase, as ssh-keygen writes it',
);
const FILE_NAME = text('The name of the file in the folder.', 100, '^[A-Za-z0-9_.-]+$');
const PHOTOS =
  'How the place gets photos: as `addresses` on this service, which must be reachable from outside, or as `uploads` beside the file.';

const PROBLEM = {
  description: 'Why the last file was not sent; null if it was.',
  maxLength: 500,
  pattern: ANY_TEXT,
};
const problemOut = z.string().nullable().meta(PROBLEM);

export const channelSchema = recordOut(
  'Channel',
  'A place that gets a file of the listed animals, without its password.',
  () => ({
    id: assignedIdOut('Unique identifier assigned by the service on creation.'),
    kind: z.enum(CHANNEL_KINDS).meta({ description: 'Whose format the file has.' }),
    address: ADDRESS.out,
    accountId: ACCOUNT.out.nullable(),
    photosAs: z.enum(CHANNEL_PHOTOS).meta({ description: PHOTOS }),
    hasSecret: z.boolean().meta({ description: 'Whether a password or private key is stored.' }),
    hostKey: HOST_KEY.out.nullable(),
    every: EVERY.out,
    status: z.enum(CHANNEL_STATUSES).meta({ description: 'Whether files are sent.' }),
    disabledReason: z.enum(CHANNEL_DISABLED_REASONS).nullable().meta({
      description:
        'Why it is disabled: a request, a place that refuses user or password (`sign_in`), a server with another key (`host_key`), or a database that was restored or copied (`copied`). Null while it is enabled.',
    }),
    createdAt: timeOut('When the channel was created'),
    nextAt: timeOut('When the next file is due; null while it is disabled').nullable(),
    sentAt: timeOut('When a file was sent last; null before the first').nullable(),
    sentRows: countOut('The animals in that file; null before the first.').nullable(),
    failures: countOut('Files in a row that failed, or were held back.'),
    problem: problemOut,
  }),
);

const leftOutSchema = recordOut('LeftOutAnimal', 'A listed animal that is not in a file.', () => ({
  petId: assignedIdOut('Id of the animal.'),
  reason: z.enum(LEFT_OUT_REASONS).meta({
    description:
      'Why: the place does not take its `species`, needs a `breed` or `sex`, or takes none that are `reserved`.',
  }),
}));
const leftOutFields = () => ({
  leftOutCount: countOut('Listed animals that are not in it.'),
  leftOut: z
    .array(leftOutSchema)
    .max(LEFT_OUT_MAX)
    .meta({ description: `The first ${LEFT_OUT_MAX} of them, and why.` }),
});

export const sendingSchema = recordOut('Sending', 'A file for a channel.', () => ({
  id: assignedIdOut('Unique identifier assigned by the service.'),
  startedAt: timeOut('When it began, or was asked for'),
  endedAt: timeOut('When it ended; null until then').nullable(),
  outcome: z.enum(SENDING_OUTCOMES).meta({
    description:
      '`sent`; `failed`, and is tried again; `held` back because it is empty or has over 30 % fewer animals than the last one; or `pending`.',
  }),
  rows: countOut('Animals in the file.'),
  bytes: countOut('Its size.'),
  photosSent: countOut('Photos that were uploaded: those that were not there yet.'),
  photosLeft: countOut('Photos that are left for the next file, a minute later.'),
  ...leftOutFields(),
  problem: problemOut,
}));

export const fileSchema = recordOut('ChannelFile', 'The file of a channel.', () => ({
  name: FILE_NAME.out,
  rows: countOut('Animals in it.'),
  ...leftOutFields(),
  text: textOut('What is in it.', 2 ** 31 - 1),
}));

export const channelTestSchema = recordOut('ChannelTest', 'How a test of a channel went.', () => ({
  works: z.boolean().meta({ description: 'Whether the place takes user, password and folder.' }),
  problem: z
    .string()
    .meta({ ...PROBLEM, description: 'Why not.' })
    .optional(),
  hostKey: HOST_KEY.out.optional(),
  name: FILE_NAME.out,
  rows: countOut('Animals in the file.'),
  ...leftOutFields(),
  milliseconds: z.int().min(0).meta({ description: 'How long it took.', format: 'int32' }),
}));

const settings = {
  accountId: ACCOUNT.taken.nullable().optional(),
  password: textInBody(
    (password) =>
      password === '' || [...password].length > PASSWORD_MAX
        ? `must have 1 to ${PASSWORD_MAX} characters`
        : undefined,
    'The password. It is stored encrypted and never shown. Null removes it.',
    PASSWORD_MAX,
    ANY_TEXT,
  )
    .nullable()
    .optional(),
  privateKey: PRIVATE_KEY.taken.nullable().optional(),
  photosAs: oneOf(CHANNEL_PHOTOS).optional().meta({ description: PHOTOS }),
  hostKey: HOST_KEY.taken.nullable().optional(),
  every: EVERY.taken.optional(),
};

export const newChannelSchema = z
  .object({ kind: oneOf(CHANNEL_KINDS), address: ADDRESS.taken, ...settings })
  .meta({ id: 'NewChannel', description: 'A channel to create.' });

export const channelChangeSchema = z
  .object({
    address: ADDRESS.taken.optional(),
    ...settings,
    status: oneOf(CHANNEL_STATUSES)
      .optional()
      .meta({ description: '`enabled` starts again after a refused sign-in or a copy.' }),
  })
  .meta({ id: 'ChannelChange', description: 'The changes to make to a channel.' });

const UNITS = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: SECOND_MS };

/** An interval in the largest unit that it is a whole number of: `24h` stays hours. */
function everyText(milliseconds: number): string {
  if (milliseconds === DAY_MS) return '24h';
  const [unit = 's', size = SECOND_MS] =
    Object.entries(UNITS).find(([, each]) => milliseconds % each === 0) ?? [];
  return `${milliseconds / size}${unit}`;
}

/** Returns the milliseconds of an interval, or what is wrong with it. */
export function everyMsOf(every: string): number | string {
  const milliseconds = durationFromText(every);
  const isWithin =
    milliseconds !== undefined && milliseconds >= EVERY_MIN_MS && milliseconds <= EVERY_MAX_MS;
  return isWithin ? milliseconds : `must be from ${everyText(EVERY_MIN_MS)} to 365d`;
}

/** The channel of the examples. */
export const PARTNER = {
  id: 2n,
  kind: 'csv',
  address: 'sftp://shelter@partner.example/animals',
  accountId: null,
  photosAs: 'addresses',
  hasSecret: false,
  hostKey: null,
  every: '24h',
  status: 'enabled',
  disabledReason: null,
  createdAt: '2026-11-21T15:04:05.000Z',
  nextAt: '2026-11-22T03:00:00.000Z',
  sentAt: null,
  sentRows: null,
  failures: 0,
  problem: null,
};

export const LEFT_OUT = { leftOutCount: 1, leftOut: [{ petId: 28n, reason: 'reserved' }] };
export const SENT = {
  ...{ id: 9n, startedAt: '2026-11-22T03:00:00.000Z', endedAt: '2026-11-22T03:00:02.000Z' },
  ...{ outcome: 'sent', rows: 42, bytes: 31_900, photosSent: 0, photosLeft: 0, ...LEFT_OUT },
  problem: null,
};

export const NO_SUCH_CHANNEL = new Missing('channel_not_found', 'channel');
export const aboutChannels = {
  access: 'admin',
  stability: 'experimental',
  tag: 'Channels',
} as const;
/** What the operations on a single channel have in common. */
export const onChannel = {
  ...aboutChannels,
  path: '/channels/{channelId}',
  pathParameters: z.object({ channelId: int64InPath('Id of the channel.') }),
  missing: NO_SUCH_CHANNEL,
} as const;

/** Returns a channel as the interface shows it. */
export function channelValue(channel: Channel) {
  const { id, kind, address, accountId, photosAs, hostKey, disabledReason } = channel;
  const { sentRows, failures, problem } = channel;
  const isEnabled = disabledReason === null;
  return {
    ...{ id, kind, address, accountId, photosAs, hasSecret: channel.secret !== null, hostKey },
    every: everyText(channel.everyMs),
    status: isEnabled ? 'enabled' : 'disabled',
    disabledReason,
    createdAt: timeText(channel.createdAt),
    nextAt: isEnabled ? timeText(channel.nextAt) : null,
    sentAt: timeTextOrNull(channel.sentAt),
    ...{ sentRows, failures, problem },
  };
}

export function sendingValue({ channelId: _, anyway: __, ...sending }: Sending) {
  return {
    ...withTimeTexts(sending),
    leftOut: sending.leftOut.map((each) => ({ ...each })),
  };
}

/** What a file leaves out, as the interface shows it. */
export function leftOutValue({ leftOut }: ChannelFile) {
  const shown = leftOut.slice(0, LEFT_OUT_MAX).map((each) => ({ ...each }));
  return { leftOutCount: leftOut.length, leftOut: shown };
}

/** A result after which the service looks for what has changed. */
export function changing(channels: ChannelService, result: Result): Result {
  return {
    ...result,
    async complete() {
      channels.changed();
    },
  };
}
