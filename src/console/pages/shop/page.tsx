import { ADDRESS_PATTERN } from '../../../domain/profile.ts';
import { SHOP_FIELDS } from '../../../domain/shop.ts';
import { Button } from '../../components/button.tsx';
import { open } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { Facts, WhenLoaded } from '../../components/states.tsx';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { submit } from '../../outbox.tsx';
import { type Shop, store } from '../../service.ts';
import { may } from '../../session.ts';
import { fieldName } from '../../words.ts';
import { ColourField, colourOf } from './colour-field.tsx';
import { linksOf, linksProblem, linksText } from './links.ts';
import { ShopLogo } from './logo.tsx';
import { ShopPreviews } from './preview.tsx';
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
    <FormDialog title={t`Edit shop`} action={t`Save`} onSubmit={(field) => save(seen, field)}>
      {NAMES.map((name) => {
        const field = SHOP_FIELDS[name];
        const shared = { label: fieldName(name), name, value: seen[name] ?? '' };
        if (name === 'accentColour') return <ColourField key={name} {...shared} />;
        return (
          <Field
            key={name}
            {...shared}
            type={field.kind === 'lines' ? 'textarea' : 'text'}
            maxLength={field.max}
            check={(text) => problemOf(name, text)}
            hint={HINTS[name]}
          />
        );
      })}
      <Field
        label={t`Links`}
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
