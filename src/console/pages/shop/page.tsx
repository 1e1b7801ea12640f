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

// The keys are those of the shop.
const NAMES = Object.keys(SHOP_FIELDS) as (keyof Shop)[];
const HINTS: Readonly<Partial<Record<keyof Shop, string>>> = {
  accentColour: 'Of buttons and links: # and six digits, such as #2f6f4f',
};

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
            <div class="row shop-previews">
              <Preview shop={shop} scheme="light" />
              <Preview shop={shop} scheme="dark" />
            </div>
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function factOf(value: string | null) {
  return <span class="written">{value ?? 'Not set'}</span>;
}

interface PreviewProps {
  readonly shop: Shop;
  readonly scheme: 'light' | 'dark';
}

/** The head of a page. The policy forbids inline styles, but not this way to set a colour. */
function Preview({ shop, scheme }: PreviewProps) {
  const paint = (element: HTMLElement | null) =>
    element?.style.setProperty('--shop-accent', shop.accentColour);
  return (
    <figure ref={paint} class={`shop-preview ${scheme}`}>
      <p>
        <strong>{shop.name ?? 'Your shop'}</strong>
      </p>
      <figcaption>{scheme === 'light' ? 'Light' : 'Dark'}</figcaption>
    </figure>
  );
}

function ShopDialog({ seen }: { readonly seen: Shop }) {
  return (
    <FormDialog title="Edit shop" action="Save" onSubmit={(field) => save(seen, field)}>
      {NAMES.map((name) => {
        const field = SHOP_FIELDS[name];
        return (
          <Field
            key={name}
            label={fieldName(name)}
            name={name}
            type={field.kind === 'lines' ? 'textarea' : 'text'}
            value={seen[name] ?? ''}
            hint={HINTS[name]}
            maxLength={field.max}
            check={(text) =>
              field.kind === 'code' && text !== '' && !field.pattern.test(text.trim())
                ? `Enter ${field.rule}.`
                : undefined
            }
          />
        );
      })}
    </FormDialog>
  );
}

function save(seen: Shop, field: ReadField): Promise<boolean> {
  const change = Object.fromEntries(
    NAMES.map((name) => [name, field(name) || null] as const).filter(
      ([name, value]) => value !== seen[name],
    ),
  );
  // Only what was changed is sent, so two people who change different fields lose nothing.
  return submit<Shop>({
    label: 'Change the shop',
    call: (to) => to.shop.update(change),
    says: 'The public pages show the change.',
  });
}
