import type * as z from 'zod';
import {
  type Channel,
  type ChannelKind,
  type ChannelService,
  type ChannelSettings,
  EVERY_DEFAULT_MS,
  tooManyChannels,
} from '../../domain/channel.ts';
import { Failure } from '../../domain/failure.ts';
import {
  changes,
  creates,
  creating,
  lists,
  removes,
  showing,
  shows,
  takes,
} from '../contract/bodies.ts';
import { listPage, pageOf, pageQuery } from '../contract/list-page.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import { requireMatch } from '../contract/precondition.ts';
import {
  aboutChannels,
  changing,
  channelChangeSchema,
  channelSchema,
  channelValue,
  everyMsOf,
  NO_SUCH_CHANNEL,
  newChannelSchema,
  onChannel,
  PARTNER,
} from './channel-values.ts';

const NO_SECRET_KEY =
  'The service has no key to encrypt passwords with: set PETSTORE_SECRET_KEY, or give none.';

type Change = Partial<Omit<z.output<typeof channelChangeSchema>, 'status'>>;

/** Throws for an address that must not be used, and for an interval that is too short or too long. */
async function requireUsable(
  { address, every }: Change,
  { problemOf }: ChannelService,
): Promise<void> {
  const problem = address && (await problemOf(address));
  if (problem) throw new Failure('invalid_body', `address ${problem}.`);
  const everyMs = every === undefined ? EVERY_DEFAULT_MS : everyMsOf(every);
  if (typeof everyMs === 'string') throw new Failure('invalid_body', `every ${everyMs}.`);
}

/** Throws if a file would have no name. */
function requireAccount(kind: ChannelKind, accountId: string | null | undefined): void {
  if (kind !== 'petfinder' || accountId !== null) return;
  throw new Failure('invalid_body', 'accountId is required: Petfinder names the file after it.');
}

/** Returns the secret to store: undefined where nothing is said of it. */
function secretIn({ password, privateKey }: Change, { canEncrypt }: ChannelService) {
  if (password === undefined && privateKey === undefined) return undefined;
  if ((password ?? privateKey ?? null) === null) return null;
  if (!canEncrypt) throw new Failure('conflict', NO_SECRET_KEY);
  return JSON.stringify({ ...(password && { password }), ...(privateKey && { privateKey }) });
}

const msOf = (every: string | undefined) => Number(every && everyMsOf(every)) || EVERY_DEFAULT_MS;

/** Returns the settings of a channel after a change. */
function changed(
  current: Channel,
  body: z.output<typeof channelChangeSchema>,
  channels: ChannelService,
  at: number,
): ChannelSettings {
  const { address = current.address, accountId = current.accountId } = body;
  const { photosAs, hostKey, every, status } = body;
  requireAccount(current.kind, body.accountId);
  const secret = secretIn(body, channels);
  const everyMs = every === undefined ? current.everyMs : msOf(every);
  const isOtherPlace = address !== current.address;
  const isDue = everyMs !== current.everyMs || (status === 'enabled' && current.disabledReason);
  return {
    ...{ address, accountId, everyMs },
    photosAs: photosAs ?? current.photosAs,
    // Another server has another key.
    hostKey: hostKey === undefined ? (isOtherPlace ? null : current.hostKey) : hostKey,
    secret: secret === undefined ? current.secret : secret && channels.encrypt(secret, current.id),
    disabledReason:
      status === undefined
        ? current.disabledReason
        : status === 'enabled'
          ? null
          : (current.disabledReason ?? 'requested'),
    nextAt: isDue ? channels.nextAt(everyMs, at) : current.nextAt,
  };
}

export const channelOperations = operationsNamed({
  listChannels: defineOperation({
    ...aboutChannels,
    method: 'GET',
    path: '/channels',
    summary: 'List channels',
    description:
      'Lists the places that get files of the listed animals, in ascending order of id. Follow the Link header for more pages.',
    queryParameters: pageQuery,
    success: lists(
      'A page of channels.',
      pageOf(channelSchema, 'Channels', 'Channels in ascending order of id.'),
      [PARTNER],
    ),
    async handle({ query }, { storage, baseUrl }) {
      const list = listPage({ baseUrl, path: '/channels', query });
      return list.result(await storage.channels.page(list.request), channelValue);
    },
  }),
  createChannel: defineOperation({
    ...aboutChannels,
    method: 'POST',
    path: '/channels',
    summary: 'Create a channel',
    description:
      'Creates a place that gets a file of the listed animals: in the format of Petfinder, Adopt-a-Pet or RescueGroups, or as plain CSV. Only hosts on the public internet are called. The first file is sent one interval later, or the night after; `sendChannel` sends it at once.',
    body: takes('The channel to create.', newChannelSchema, {
      kind: PARTNER.kind,
      address: PARTNER.address,
      every: PARTNER.every,
    }),
    success: creates('Channel created.', channelSchema, PARTNER),
    failures: { conflict: `${tooManyChannels().message} Or: ${NO_SECRET_KEY}` },
    prepare: ({ body }, { channels }) => requireUsable(body, channels),
    async handle({ body, stamp }, { storage, channels, baseUrl }) {
      const { kind, address, every } = body;
      const { accountId = null, photosAs = 'addresses', hostKey = null } = body;
      requireAccount(kind, accountId);
      const secret = secretIn(body, channels) ?? null;
      const everyMs = msOf(every);
      const channel = {
        ...{ kind, address, accountId, photosAs, hostKey, everyMs, createdAt: stamp.at },
        nextAt: channels.nextAt(everyMs, stamp.at),
      };
      const secretFor = (id: bigint) => secret && channels.encrypt(secret, id);
      const created = await storage.channels.create(channel, secretFor, stamp);
      return changing(channels, creating(`${baseUrl}/channels`, channelValue(created)));
    },
  }),
  getChannel: defineOperation({
    ...onChannel,
    method: 'GET',
    summary: 'Get a channel',
    description: 'Returns a channel, without its password.',
    success: shows('The requested channel.', channelSchema, PARTNER),
    handle: ({ path }, { storage }) =>
      showing(NO_SUCH_CHANNEL, storage.channels.find(path.channelId), channelValue),
  }),
  updateChannel: defineOperation({
    ...onChannel,
    method: 'PATCH',
    summary: 'Change a channel',
    description:
      'Changes the address, the way to sign in, the interval or the status of a channel (JSON merge patch, RFC 7396). A new address forgets the key of the host.',
    body: changes('The members to change.', channelChangeSchema, { status: 'disabled' }),
    success: shows('The changed channel.', channelSchema, {
      ...PARTNER,
      ...{ status: 'disabled', disabledReason: 'requested', nextAt: null },
    }),
    failures: { conflict: NO_SECRET_KEY },
    prepare: ({ body }, { channels }) => requireUsable(body, channels),
    async handle({ path, body, stamp, ifMatch }, { storage, channels }) {
      const check = requireMatch(ifMatch, channelValue);
      const change = (current: Channel) => {
        check(current);
        return changed(current, body, channels, stamp.at);
      };
      const updated = await storage.channels.update(path.channelId, change, stamp);
      return changing(channels, { value: channelValue(NO_SUCH_CHANNEL.orThrow(updated)) });
    },
  }),
  deleteChannel: defineOperation({
    ...onChannel,
    method: 'DELETE',
    summary: 'Delete a channel',
    description:
      'Deletes a channel and the list of what was sent. The animals stay at the place until it gets another file, or you remove them there.',
    success: removes('Channel deleted.'),
    async handle({ path, stamp, ifMatch }, { storage, channels }) {
      const check = requireMatch(ifMatch, channelValue);
      const removed = await storage.channels.remove(path.channelId, check, stamp);
      NO_SUCH_CHANNEL.orThrow(removed);
      return changing(channels, {});
    },
  }),
});
