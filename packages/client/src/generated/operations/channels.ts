// Made from openapi.json by `npm run openapi`.
import { type ChangeOptions, Group, type PostOptions } from '../../group.ts';
import type { Int64 } from '../../json.ts';
import { type List, searchOf } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type {
  Channel,
  ChannelChange,
  ChannelFile,
  ChannelTest,
  ListChannelsQuery,
  ListSendingsQuery,
  NewChannel,
  SendChannelQuery,
  Sending,
} from '../types.ts';

/** `store.channels`. */
export class ChannelOperations extends Group {
  /** List channels. */
  list(query: ListChannelsQuery = {}, options?: CallOptions): List<Channel> {
    return this.listAt('/channels', query, options);
  }

  /** Create a channel. */
  create(body: NewChannel, options?: PostOptions): Promise<Channel> {
    return this.postTo('/channels', body, options, true);
  }

  /** Get a channel. */
  get(channelId: Int64, options?: CallOptions): Promise<Channel> {
    return this.readAt(`/channels/${channelId}`, options);
  }

  /** Change a channel. */
  update(
    channelId: Int64,
    body: ChannelChange,
    options?: ChangeOptions<Channel>,
  ): Promise<Channel> {
    return this.changeAt('PATCH', `/channels/${channelId}`, body, options, () =>
      this.get(channelId, options),
    );
  }

  /** Delete a channel. */
  delete(channelId: Int64, options?: ChangeOptions<Channel>): Promise<void> {
    return this.changeAt('DELETE', `/channels/${channelId}`, undefined, options, () =>
      this.get(channelId, options),
    );
  }

  /** Test a channel. */
  test(channelId: Int64, options?: PostOptions): Promise<ChannelTest> {
    return this.postTo(`/channels/${channelId}/test`, undefined, options);
  }

  /** Send the file of a channel now. */
  send(channelId: Int64, query: SendChannelQuery = {}, options?: PostOptions): Promise<Sending> {
    return this.postTo(`/channels/${channelId}/send${searchOf(query)}`, undefined, options);
  }

  /** List what was sent to a channel. */
  sendings(channelId: Int64, query: ListSendingsQuery = {}, options?: CallOptions): List<Sending> {
    return this.listAt(`/channels/${channelId}/sendings`, query, options);
  }

  /** Get the file of a channel. */
  file(channelId: Int64, options?: CallOptions): Promise<ChannelFile> {
    return this.readAt(`/channels/${channelId}/file`, options);
  }
}
