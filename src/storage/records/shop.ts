import { changedFields, changedText } from '../../domain/audit.ts';
import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import {
  changedShop,
  EMPTY_SHOP,
  type Shop,
  type ShopChange,
  type ShopStorage,
} from '../../domain/shop.ts';
import { newFormSecret, shopIdOf } from '../../domain/shop-id.ts';
import { forUpdate, sql, type Transactions, type Work } from '../statements.ts';
import { noteParts } from './notes.ts';

const shopOf = ({ data }: { readonly data: string }): Shop => ({
  ...EMPTY_SHOP,
  ...JSON.parse(data),
});

const FIND = sql`SELECT data FROM shop`.as(shopOf);
const LOCKED = sql`SELECT data FROM shop ${forUpdate}`.as(shopOf);
/** A row to lock, for the first of two that change the shop at once. */
const ADD = sql`INSERT INTO shop (place, data) VALUES (1, '{}') ON CONFLICT DO NOTHING`;
const SAVE = sql`UPDATE shop SET data = $1`;
const SET_SECRET = sql`UPDATE shop SET form_secret = $1 WHERE form_secret IS NULL`;
const SET_FEED_TAG = sql`UPDATE shop SET feed_tag = $1 WHERE feed_tag IS NULL`;
const FEED_TAG = sql`SELECT feed_tag AS tag FROM shop`.value(
  (tag: string | null) => tag ?? undefined,
);
const SECRET = sql`SELECT form_secret AS secret FROM shop`.value(
  (secret: string | null) => secret ?? undefined,
);

/** Sets the secret of the forms before. */
function* secretOf(): Work<string> {
  const secret = yield* SECRET.only();
  if (secret === undefined) throw new Error('the shop has no secret');
  return secret;
}

function* update(
  change: ShopChange,
  stamp: ChangeStamp,
  precondition: Precondition<Shop>,
): Work<Shop> {
  yield* ADD.run();
  const shop = yield* LOCKED.only();
  yield* SET_SECRET.run(newFormSecret());
  const id = shopIdOf(yield* secretOf());
  precondition(shop);
  const changed = changedShop(shop, change);
  if (changed === shop) return shop;
  yield* SAVE.run(JSON.stringify(changed));
  const fields = changedText(changedFields(shop, changed));
  const data = JSON.stringify({ id, ...changed });
  yield* noteParts('shop.updated', [{ petId: null, data, changed: fields }], stamp);
  return changed;
}

/** What the public is told about the shop. */
export function createShopStorage({ read, write }: Transactions): ShopStorage {
  return {
    get: async () => (await read(() => FIND.one())) ?? EMPTY_SHOP,
    update: (change, stamp, precondition) => write(() => update(change, stamp, precondition)),
    async feedTag(candidate) {
      const known = await read(() => FEED_TAG.one());
      if (known !== undefined) return known;
      return await write(function* () {
        yield* ADD.run();
        yield* SET_FEED_TAG.run(candidate);
        return (yield* FEED_TAG.only()) ?? candidate;
      });
    },
    async formSecret(candidate) {
      const known = await read(() => SECRET.one());
      if (known !== undefined) return known;
      return await write(function* () {
        yield* ADD.run();
        yield* SET_SECRET.run(candidate);
        return yield* secretOf();
      });
    },
  };
}
