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
import { forUpdate, type Statement, sql, type Transactions, type Work } from '../statements.ts';
import { noteParts } from './notes.ts';
import { optional } from './order-search.ts';

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
const FEED_TAG = sql`SELECT feed_tag FROM shop`.value(optional);
const SECRET = sql`SELECT form_secret FROM shop`.value(optional);

function* update(
  change: ShopChange,
  stamp: ChangeStamp,
  precondition: Precondition<Shop>,
): Work<Shop> {
  yield* ADD.run();
  const shop = yield* LOCKED.only();
  const candidate = newFormSecret();
  yield* SET_SECRET.run(candidate);
  const id = shopIdOf((yield* SECRET.only()) ?? candidate);
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
  /** Returns a value that is set once: what is known, or else the candidate. */
  const setOnce = (known: typeof SECRET, set: Statement) => async (candidate: string) =>
    (await read(() => known.one())) ??
    (await write(function* () {
      yield* ADD.run();
      yield* set.run(candidate);
      return (yield* known.only()) ?? candidate;
    }));

  return {
    get: async () => (await read(() => FIND.one())) ?? EMPTY_SHOP,
    update: (change, stamp, precondition) => write(() => update(change, stamp, precondition)),
    feedTag: setOnce(FEED_TAG, SET_FEED_TAG),
    formSecret: setOnce(SECRET, SET_SECRET),
  };
}
