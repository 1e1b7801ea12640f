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
import {
  forUpdate,
  one,
  only,
  query,
  run,
  type Sql,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import type { RecordWrites } from './pets.ts';

const shopOf = ({ data }: { readonly data: string }): Shop => ({
  ...EMPTY_SHOP,
  ...JSON.parse(data),
});
const shops = (text: Sql) => query(shopOf, text);

const FIND = shops(sql`SELECT data FROM shop`);
const LOCKED = shops(sql`SELECT data FROM shop ${forUpdate}`);
/** A row to lock, for the first of two that change the shop at once. */
const ADD = sql`INSERT INTO shop (place, data) VALUES (1, '{}') ON CONFLICT DO NOTHING`;
const SAVE = sql`UPDATE shop SET data = $1`;
const SET_SECRET = sql`UPDATE shop SET form_secret = $1 WHERE form_secret IS NULL`;
const SET_FEED_TAG = sql`UPDATE shop SET feed_tag = $1 WHERE feed_tag IS NULL`;
const FEED_TAG = query(
  ({ tag }: { readonly tag: string | null }) => tag ?? undefined,
  sql`SELECT feed_tag AS tag FROM shop`,
);
const SECRET = query(
  ({ secret }: { readonly secret: string | null }) => secret ?? undefined,
  sql`SELECT form_secret AS secret FROM shop`,
);

/** What the public is told about the shop. */
export function createShopStorage(
  { read, write }: Transactions,
  { noteParts }: Pick<RecordWrites, 'noteParts'>,
): ShopStorage {
  function* get(): Work<Shop> {
    return (yield* one(FIND)) ?? EMPTY_SHOP;
  }

  /** Sets it before. */
  function* secretOf(): Work<string> {
    const secret = yield* only(SECRET);
    if (secret === undefined) throw new Error('the shop has no secret');
    return secret;
  }

  function* update(
    change: ShopChange,
    stamp: ChangeStamp,
    precondition: Precondition<Shop>,
  ): Work<Shop> {
    yield* run(ADD);
    const shop = yield* only(LOCKED);
    yield* run(SET_SECRET, newFormSecret());
    const id = shopIdOf(yield* secretOf());
    precondition(shop);
    const changed = changedShop(shop, change);
    if (changed === shop) return shop;
    const data = JSON.stringify(changed);
    yield* run(SAVE, data);
    const fields = changedText(changedFields(shop, changed));
    const noted = JSON.stringify({ id, ...changed });
    yield* noteParts('shop.updated', [{ petId: null, data: noted, changed: fields }], stamp);
    return changed;
  }

  function* formSecret(candidate: string): Work<string> {
    yield* run(ADD);
    yield* run(SET_SECRET, candidate);
    return yield* secretOf();
  }

  function* knownSecret(): Work<string | undefined> {
    return yield* one(SECRET);
  }

  function* newFeedTag(candidate: string): Work<string> {
    yield* run(ADD);
    yield* run(SET_FEED_TAG, candidate);
    return (yield* only(FEED_TAG)) ?? candidate;
  }

  return {
    get: () => read(get),
    update: (change, stamp, precondition) => write(() => update(change, stamp, precondition)),
    async feedTag(candidate) {
      const known = await read(() => one(FEED_TAG));
      return known ?? (await write(() => newFeedTag(candidate)));
    },
    async formSecret(candidate) {
      return (await read(knownSecret)) ?? (await write(() => formSecret(candidate)));
    },
  };
}
