/** What the public pages look like in the colour of the shop. */

import { ACCENT, type Accent, accentsOf } from '../../../adopt/accent.ts';
import { t } from '../../language.ts';
import type { Shop } from '../../service.ts';

/** Samples of the light and the dark pages. */
export function ShopPreviews({ shop }: { readonly shop: Shop }) {
  return (
    <div class="row shop-previews">
      {Object.entries(accentsOf(shop.accentColour ?? ACCENT)).map(([scheme, one]) => (
        <Preview key={scheme + one.accent} shop={shop} scheme={scheme} {...one} />
      ))}
    </div>
  );
}

interface PreviewProps extends Accent {
  readonly shop: Shop;
  readonly scheme: string;
}

/** The policy forbids inline styles, but not this way to set a colour. */
function Preview({ shop, scheme, accent, onAccent }: PreviewProps) {
  const paint = (element: HTMLElement | null) => {
    element?.style.setProperty('--shop-accent', accent);
    element?.style.setProperty('--shop-on-accent', onAccent);
  };
  const own = shop.accentColour?.toLowerCase() ?? accent;
  return (
    <figure ref={paint} class={`shop-preview ${scheme}`}>
      <p>
        <strong>{shop.name ?? t`Your shop`}</strong>
      </p>
      <p class="row">
        <span class="shop-link">{t`A link`}</span>
        <span class="shop-button">{t`A button`}</span>
      </p>
      <figcaption>
        {scheme === 'light' ? t`Light` : t`Dark`}
        {own !== accent && t`: ${own} is shown as ${accent}, so that everybody can read it`}
      </figcaption>
    </figure>
  );
}
