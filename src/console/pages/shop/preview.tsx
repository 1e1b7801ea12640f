/** What the public pages look like in the colour of the shop. */
import { ACCENT, accentStyles } from '../../../adopt/accent.ts';
import type { Shop } from '../../service.ts';

/** The colour of links and buttons as visitors get it, and that of the text in a button. */
interface Accent {
  readonly scheme: 'Light' | 'Dark';
  readonly accent: string;
  readonly onAccent: string;
}

/** Returns the colours of the light and the dark pages for the colour of a shop. */
export function accentsOf(colour: string | null): readonly Accent[] {
  const found = accentStyles(colour ?? ACCENT).matchAll(/--accent:([^;}]+);--on-accent:([^;}]+)/g);
  return [...found].map(([, accent = '', onAccent = ''], n) => ({
    scheme: n === 0 ? 'Light' : 'Dark',
    accent,
    onAccent,
  }));
}

/** Samples of the light and the dark pages. */
export function ShopPreviews({ shop }: { readonly shop: Shop }) {
  return (
    <div class="row shop-previews">
      {accentsOf(shop.accentColour).map((one) => (
        <Preview key={one.scheme + one.accent} shop={shop} {...one} />
      ))}
    </div>
  );
}

/** The policy forbids inline styles, but not this way to set a colour. */
function Preview({ shop, scheme, accent, onAccent }: Accent & { readonly shop: Shop }) {
  const paint = (element: HTMLElement | null) => {
    element?.style.setProperty('--shop-accent', accent);
    element?.style.setProperty('--shop-on-accent', onAccent);
  };
  const own = shop.accentColour?.toLowerCase() ?? accent;
  return (
    <figure ref={paint} class={`shop-preview ${scheme.toLowerCase()}`}>
      <p>
        <strong>{shop.name ?? 'Your shop'}</strong>
      </p>
      <p class="row">
        <span class="shop-link">A link</span>
        <span class="shop-button">A button</span>
      </p>
      <figcaption>
        {scheme}
        {own !== accent && `: ${own} is shown as ${accent}, so that everybody can read it`}
      </figcaption>
    </figure>
  );
}
