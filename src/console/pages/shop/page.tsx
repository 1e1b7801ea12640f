import { ACCENT, type Accent, accentsOf } from '../../../adopt/accent.ts';
import { ADDRESS_PATTERN } from '../../../domain/profile.ts';
import {
  LINK_LABEL_MAX,
  SHOP_FIELDS,
  SHOP_LINKS_MAX,
  type ShopLink,
} from '../../../domain/shop.ts';
import { Button } from '../../components/button.tsx';
import { open } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog, linesOf, type ReadField } from '../../components/form.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { Facts, WhenLoaded } from '../../components/states.tsx';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { submit } from '../../outbox.tsx';
import { type Shop, store } from '../../service.ts';
import { may } from '../../session.ts';
import { fieldName } from '../../words.ts';
import { ColourField, colourOf } from './colour-field.tsx';
import { ShopLogo } from './logo.tsx';
import { ShopQuestions } from './questions.tsx';

// The keys are those of the shop.
type Name = keyof typeof SHOP_FIELDS;
const NAMES = Object.keys(SHOP_FIELDS) as Name[];
const ADDRESS = new RegExp(ADDRESS_PATTERN);
const HINTS: Readonly<Partial<Record<Name, string>>> = {
  town: t`In the titles of pages, for search engines. Otherwise the last line of the address.`,
  language: t`In which you write about animals, such as en, de or es.`,
  imprintUrl: t`A duty in some countries. In the footer, and beside each form.`,
  privacyUrl: t`In the footer, and beside each form.`,
};
/** Returns what is wrong with a value, in words for the person. */
function problemOf(name: Name, text: string): string | undefined {
  const field = SHOP_FIELDS[name];
  if (text.trim() === '') return undefined;
  if (name === 'telephone' && !/\d/.test(text)) return t`Enter a number to call, with digits.`;
  if (field.kind === 'address') {
    return ADDRESS.test(text.trim()) ? undefined : t`Enter an address that starts with https://.`;
  }
  if (field.kind !== 'code' || field.pattern.test(text.trim())) return undefined;
  return t`Enter ${field.rule}.`;
}

/** What the public is told about the shop, with a preview. */
export default function ShopPage() {
  const loaded = useLoaded((signal) => store.shop.get({ signal }), [], ['shop']);
  const { value } = loaded;
  return (
    <>
      <PageHeader title={t`Shop`}>
        <a href="/adopt" target="_blank" rel="noreferrer">{t`See the public page`}</a>
        {may('admin') && value && (
          <Button
            kind="primary"
            onClick={() => open(<ShopDialog seen={value} />)}
          >{t`Edit`}</Button>
        )}
      </PageHeader>
      <WhenLoaded from={loaded}>
        {(shop) => (
          <>
            <Facts
              of={Object.fromEntries([
                ...NAMES.map((name) => [fieldName(name), factOf(shop[name])]),
                [t`Links`, factOf(linksText(shop.links) || null)],
              ])}
            />
            <ShopLogo shop={shop} />
            <ShopQuestions shop={shop} />
            <h2>{t`Preview`}</h2>
            <ShopPreviews shop={shop} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function factOf(value: string | null) {
  return <span class="written">{value ?? t`Not set`}</span>;
}

function ShopDialog({ seen }: { readonly seen: Shop }) {
  return (
    <FormDialog title={t`Edit shop`} of={seen} onSubmit={(field) => save(seen, field)}>
      {NAMES.map((name) => {
        const field = SHOP_FIELDS[name];
        if (name === 'accentColour') return <ColourField key={name} value={seen[name] ?? ''} />;
        return (
          <Field
            key={name}
            name={name}
            type={field.kind === 'lines' ? 'textarea' : 'text'}
            maxLength={field.max}
            check={(text) => problemOf(name, text)}
            hint={HINTS[name]}
          />
        );
      })}
      <Field
        name="links"
        type="textarea"
        value={linksText(seen.links)}
        check={linksProblem}
        hint={t`To pages of your own, one a line, at most 6: what it says, then its address. They stand at the bottom of each page.`}
        placeholder={t`Volunteer with us https://shelter.example/volunteer`}
      />
    </FormDialog>
  );
}

function save(seen: Shop, field: ReadField): Promise<boolean> {
  const fields = Object.fromEntries(
    NAMES.map((name) => {
      const text = name === 'accentColour' ? colourOf(field(name)) : field(name);
      return [name, text || null] as const;
    }).filter(([name, value]) => value !== seen[name]),
  );
  const links = linksOf(field('links'));
  const isSame = linksText(links) === linksText(seen.links);
  const change = isSame ? fields : { ...fields, links };
  // Only what was changed is sent, so two people who change different fields lose nothing.
  return submit<Shop>({
    label: t`Change the shop`,
    call: (to) => to.shop.update(change),
    says: t`The public pages show the change.`,
  });
}

/** A link of the shop, as people write it, one a line: `Volunteer with us https://…`. */
const LINE = /^(\S.*?)\s+(\S+)$/;

/** Returns links as text. */
function linksText(links: readonly ShopLink[] | null): string {
  return (links ?? []).map(({ label, url }) => `${label} ${url}`).join('\n');
}

/** Returns the links in a text; null if there are none. */
function linksOf(text: string): readonly ShopLink[] | null {
  const links = linesOf(text).map((line) => {
    const [, label = line, url = ''] = LINE.exec(line) ?? [];
    return { label, url };
  });
  return links.length === 0 ? null : links;
}

/** Returns what is wrong with a text of links, in words for the person. */
function linksProblem(text: string): string | undefined {
  const links = linksOf(text) ?? [];
  if (links.length > SHOP_LINKS_MAX) return t`Enter at most ${SHOP_LINKS_MAX} links.`;
  const long = links.find(({ label }) => [...label].length > LINK_LABEL_MAX);
  if (long) return t`“${long.label}” is too long: at most ${LINK_LABEL_MAX} characters.`;
  const wrong = links.find(({ url }) => !ADDRESS.test(url));
  return (
    wrong && t`“${wrong.label}” needs an address that starts with https:// at the end of its line.`
  );
}

/** Samples of the light and the dark public pages, in the colour of the shop. */
function ShopPreviews({ shop }: { readonly shop: Shop }) {
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
