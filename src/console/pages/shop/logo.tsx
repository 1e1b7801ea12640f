/** The logo of the shop: to choose, to replace and to remove. */

import { Button } from '../../components/button.tsx';
import { FileButton } from '../../components/drop-zone.tsx';
import { t } from '../../language.ts';
import { submit } from '../../outbox.tsx';
import type { Shop } from '../../service.ts';
import { may } from '../../session.ts';

/** Decoding takes a moment, and a file is longer under way than a change. */
const TIMEOUT_MS = 60_000;
const TYPES = 'image/jpeg,image/png,image/webp';

/** The logo, and for who may change it what can be done with it. */
export function ShopLogo({ shop: { logo, name } }: { readonly shop: Shop }) {
  return (
    <section class="stack">
      <h2>{t`Logo`}</h2>
      {logo ? (
        <img
          class="shop-logo"
          src={new URL(logo.url).pathname}
          width={logo.width}
          height={logo.height}
          alt={t`Logo of ${name ?? t`the shop`}`}
        />
      ) : (
        <p>{t`Not set. A wide picture on white is best: it stands beside the name at the top of each page.`}</p>
      )}
      {may('admin') && (
        <p class="row">
          <FileButton
            label={logo ? t`Replace` : t`Choose a picture`}
            kind="secondary"
            more={{ accept: TYPES }}
            onFiles={([file]) => void (file && set(file))}
          />
          {logo && <Button onClick={() => void remove()}>{t`Remove the logo`}</Button>}
        </p>
      )}
    </section>
  );
}

const set = (file: File) =>
  submit<Shop>({
    label: t`Set the logo`,
    call: (to) => to.shop.setLogo(file),
    says: t`The public pages show the logo.`,
    isFleeting: true,
    timeout: TIMEOUT_MS,
  });

const remove = () =>
  submit<Shop>({
    label: t`Remove the logo`,
    call: (to) => to.shop.update({ logo: null }),
    says: t`The public pages no longer show the logo.`,
  });
