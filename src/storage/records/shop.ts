import { changedFields, changedText } from '../../domain/audit.ts';
import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import {
  changedShop,
  EMPTY_SHOP,
  type Shop,
  type ShopChange,
  type ShopStorage,
} from '../../domain/shop.ts';
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
const SECRET = query(
  ({ secret }: { readonly secret: string }) => secret,
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

  function* update(
    change: ShopChange,
    stamp: ChangeStamp,
    precondition: Precondition<Shop>,
  ): Work<Shop> {
    yield* run(ADD);
    const shop = yield* only(LOCKED);
    precondition(shop);
    const changed = changedShop(shop, change);
    if (changed === shop) return shop;
    const data = JSON.stringify(changed);
    yield* run(SAVE, data);
    const fields = changedText(changedFields(shop, changed));
    yield* noteParts('shop.updated', [{ petId: null, data, changed: fields }], stamp);
    return changed;
  }

  function* formSecret(candidate: string): Work<string> {
    yield* run(ADD);
    yield* run(SET_SECRET, candidate);
    return yield* only(SECRET);
  }

  return {
    get: () => read(get),
    update: (change, stamp, precondition) => write(() => update(change, stamp, precondition)),
    formSecret: (candidate) => write(() => formSecret(candidate)),
  };
}
