import { SHOP_FIELDS } from '../../../domain/shop.ts';
import { Button } from '../../components/button.tsx';
import { open } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { Facts, WhenLoaded } from '../../components/states.tsx';
import { useLoaded } from '../../loading.ts';
import { submit } from '../../outbox.tsx';
import { type Shop, store } from '../../service.ts';
import { may } from '../../session.ts';
import { fieldName } from '../../words.ts';
import { ColourField, colourOf } from './colour-field.tsx';
import { ShopPreviews } from './preview.tsx';

// The keys are those of the shop.
type FieldName = keyof typeof SHOP_FIELDS;
const NAMES = Object.keys(SHOP_FIELDS) as FieldName[];
/** Returns what is wrong with a value, in words for the person. */
function problemOf(name: FieldName, text: string): string | undefined {
  const field = SHOP_FIELDS[name];
  if (text.trim() === '') return undefined;
  if (name === 'telephone' && !/\d/.test(text)) return 'Enter a number to call, with digits.';
  if (field.kind !== 'code' || field.pattern.test(text.trim())) return undefined;
  return `Enter ${field.rule}.`;
}

/** What the public is told about the shop, with a preview. */
export default function ShopPage() {
  const loaded = useLoaded((signal) => store.shop.get({ signal }), [], ['shop']);
  const { value } = loaded;
  return (
    <>
      <PageHeader title="Shop">
        <a href="/adopt" target="_blank" rel="noreferrer">
          See the public page
        </a>
        {may('admin') && value && (
          <Button kind="primary" onClick={() => open(<ShopDialog seen={value} />)}>
            Edit
          </Button>
        )}
      </PageHeader>
      <WhenLoaded from={loaded}>
        {(shop) => (
          <>
            <Facts
              of={Object.fromEntries(NAMES.map((name) => [fieldName(name), factOf(shop[name])]))}
            />
            <h2>Preview</h2>
            <ShopPreviews shop={shop} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function factOf(value: string | null) {
  return <span class="written">{value ?? 'Not set'}</span>;
}

function ShopDialog({ seen }: { readonly seen: Shop }) {
  return (
    <FormDialog title="Edit shop" action="Save" onSubmit={(field) => save(seen, field)}>
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
          />
        );
      })}
    </FormDialog>
  );
}

function save(seen: Shop, field: ReadField): Promise<boolean> {
  const change = Object.fromEntries(
    NAMES.map((name) => {
      const text = name === 'accentColour' ? colourOf(field(name)) : field(name);
      return [name, text || null] as const;
    }).filter(([name, value]) => value !== seen[name]),
  );
  // Only what was changed is sent, so two people who change different fields lose nothing.
  return submit<Shop>({
    label: 'Change the shop',
    call: (to) => to.shop.update(change),
    says: 'The public pages show the change.',
  });
}
