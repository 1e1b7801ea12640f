// Made from openapi.json by `npm run openapi`.
import { type ChangeOptions, Group } from '../../group.ts';
import type { CallOptions } from '../../transport.ts';
import type { Shop, ShopChange } from '../types.ts';

/** `store.shop`. */
export class ShopOperations extends Group {
  /** Get the shop. */
  get(options?: CallOptions): Promise<Shop> {
    return this.readAt('/shop', options);
  }

  /** Change the shop. */
  update(body: ShopChange, options?: ChangeOptions<Shop>): Promise<Shop> {
    return this.changeAt('PATCH', '/shop', body, options, () => this.get(options));
  }

  /** Set the logo. */
  setLogo(body: Blob, options?: CallOptions): Promise<Shop> {
    return this.changeAt('PUT', '/shop/logo', body, options);
  }
}
