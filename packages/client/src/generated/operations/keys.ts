// Made from openapi.json by `npm run openapi`.
import { type ChangeOptions, Group, type PostOptions } from '../../group.ts';
import type { Int64 } from '../../json.ts';
import { type List, searchOf } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type {
  GetKeyUsageQuery,
  IssuedKey,
  Key,
  KeyChange,
  KeyRotation,
  KeyUsage,
  ListKeysQuery,
  NewKey,
} from '../types.ts';

/** `store.keys`. */
export class KeyOperations extends Group {
  /** List API keys. */
  list(query: ListKeysQuery = {}, options?: CallOptions): List<Key> {
    return this.listAt('/keys', query, options);
  }

  /** Create an API key. */
  create(body: NewKey, options?: PostOptions): Promise<IssuedKey> {
    return this.postTo('/keys', body, options, true);
  }

  /** Get an API key. */
  get(keyId: Int64, options?: CallOptions): Promise<Key> {
    return this.readAt(`/keys/${keyId}`, options);
  }

  /** Change an API key. */
  update(keyId: Int64, body: KeyChange, options?: ChangeOptions<Key>): Promise<Key> {
    return this.changeAt('PATCH', `/keys/${keyId}`, body, options, () => this.get(keyId, options));
  }

  /** Revoke an API key. */
  revoke(keyId: Int64, options?: ChangeOptions<Key>): Promise<void> {
    return this.changeAt('DELETE', `/keys/${keyId}`, undefined, options, () =>
      this.get(keyId, options),
    );
  }

  /** Replace an API key. */
  rotate(keyId: Int64, body: KeyRotation = {}, options?: PostOptions): Promise<IssuedKey> {
    return this.postTo(`/keys/${keyId}/rotate`, body, options);
  }

  /** Lift the ban of an API key. */
  unban(keyId: Int64, options?: PostOptions): Promise<Key> {
    return this.postTo(`/keys/${keyId}/unban`, undefined, options);
  }

  /** Get the usage of an API key. */
  usage(keyId: Int64, query: GetKeyUsageQuery = {}, options?: CallOptions): Promise<KeyUsage[]> {
    return this.readAt(`/keys/${keyId}/usage${searchOf(query)}`, options);
  }
}
