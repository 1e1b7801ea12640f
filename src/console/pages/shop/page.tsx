import { useEffect, useRef } from 'preact/hooks';
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
import { FileButton } from '../../components/drop-zone.tsx';
import { Facts } from '../../components/facts.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog, linesOf, type ReadField } from '../../components/form.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { changedIn } from '../../merge.tsx';
import { submit } from '../../outbox.tsx';
import { type Shop, store } from '../../service.ts';
import { may } from '../../session.ts';
import { fieldName } from '../../words.ts';
import { ShopQuestions } from './questions.tsx';

// The keys are those of the shop.
type Name = keyof typeof SHOP_FIELDS;
const NAMES = Object.keys(SHOP_FIELDS) as Name[];
const ADDRESS = new RegExp(ADDRESS_PATTERN);
const HINTS: Readonly<Partial<Record<Name, string>>> = {
  town: t`In the titles of pages, for search engines. Otherwise the last line of the address.`,
  language: t`The language you write about animals in, such as en, de or es.`,
  imprintUrl: t`Required in some countries. In the footer, and beside each form.`,
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
        hint={t`Links to your own pages, one per line, at most 6: the text, then the address. They are at the bottom of each page.`}
        placeholder={t`Volunteer with us https://shelter.example/volunteer`}
      />
    </FormDialog>
  );
}

function save(seen: Shop, field: ReadField): Promise<boolean> {
  const fields = NAMES.map((name) => {
    const text = name === 'accentColour' ? colourOf(field(name)) : field(name);
    return [name, text || null] as const;
  });
  const wanted = { ...Object.fromEntries(fields), links: linksOf(field('links')) };
  return submit<Shop>({
    label: t`Change the shop`,
    call: (to) => to.shop.update(changedIn(wanted, seen)),
    says: t`The public pages show the change.`,
  });
}

/** A link of the shop, as people write it, one a line: `Volunteer with us https://…`. */
const LINE = /^(\S.*?)\s+(\S+)$/;

function linksText(links: readonly ShopLink[] | null): string {
  return (links ?? []).map(({ label, url }) => `${label} ${url}`).join('\n');
}

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
  const name = scheme === 'light' ? t`Light` : t`Dark`;
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
        {own === accent
          ? name
          : t`${name}: ${own} is shown as ${accent}, so that everybody can read it`}
      </figcaption>
    </figure>
  );
}

/** Decoding takes a moment, and a file is longer under way than a change. */
const TIMEOUT_MS = 60_000;
const TYPES = 'image/jpeg,image/png,image/webp';

/** The logo, and for who may change it what can be done with it. */
function ShopLogo({ shop: { logo, name } }: { readonly shop: Shop }) {
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

const { pattern, rule } = SHOP_FIELDS.accentColour;

/** Returns a colour as the service takes it: `#ffffff` for `#fff`, `fff` and `FFFFFF`. Another text stays. */
export function colourOf(text: string): string {
  const digits = /^#?([\da-f]{3}|[\da-f]{6})$/i.exec(text.trim())?.[1]?.toLowerCase();
  if (digits === undefined) return text.trim();
  return `#${digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits}`;
}

const NAME = 'accentColour';

/** A text field, and beside it the choice of the browser: each follows the other. */
function ColourField({ value }: { readonly value: string }) {
  const picker = useRef<HTMLInputElement>(null);

  function show(text: string) {
    const colour = colourOf(text);
    if (picker.current) picker.current.value = pattern.test(colour) ? colour : ACCENT;
  }
  useEffect(() => show(value), []);

  function choose({ currentTarget }: { readonly currentTarget: HTMLInputElement }) {
    const text = currentTarget.form?.elements.namedItem(NAME);
    if (!(text instanceof HTMLInputElement)) return;
    text.value = currentTarget.value;
    text.dispatchEvent(new Event('input', { bubbles: true }));
  }

  return (
    <div class="colour-field">
      <Field
        name={NAME}
        hint={t`Of buttons and links, such as #2f6f4f. It is darkened or lightened where it could not be read.`}
        check={(text) =>
          text.trim() === '' || pattern.test(colourOf(text)) ? undefined : t`Enter ${rule}.`
        }
        onValue={show}
      />
      <input
        ref={picker}
        type="color"
        aria-label={t`Choose: ${fieldName(NAME)}`}
        onInput={choose}
      />
    </div>
  );
}
