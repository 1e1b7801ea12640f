import { useState } from 'preact/hooks';
import { attempt } from '../../attempt.ts';
import { changeRecord } from '../../changes.ts';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Field, TextArea } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { Status } from '../../components/status.tsx';
import { formatMoment } from '../../format.ts';
import { readNumber } from '../../int64.ts';
import { useLoaded } from '../../loading.ts';
import { notify } from '../../notices.ts';
import { carryOut } from '../../outbox.ts';
import { type Order, type OrderChange, store } from '../../service.ts';
import { may } from '../../session.ts';
import { isOpen } from './moves.ts';
import { ADOPTER_MAX, CONTACT_MAX, hasPersonal, NOTE_MAX, PERSONAL_FIELDS } from './personal.ts';

interface OrderDialogProps {
  /** As in the address. */
  readonly id: string;
  readonly onClose: () => void;
}

/** All about one order. Its personal details can be changed while it is open, and always erased. */
export function OrderDialog({ id, onClose }: OrderDialogProps) {
  const { value, error, reload } = useLoaded((signal) => loadOrder(id, signal), [id]);
  if (value === undefined) {
    return (
      <Dialog title="Adoption" onClose={onClose}>
        {error === undefined ? <LoadingState /> : <ErrorState error={error} retry={reload} />}
      </Dialog>
    );
  }
  const { order, animal } = value;
  const title = `Adoption of ${animal}`;
  if (!may('write') || !isOpen(order)) {
    return (
      <Dialog title={title} onClose={onClose}>
        <OrderFacts order={order} withPersonal />
        <EraseButton order={order} animal={animal} onClose={onClose} />
      </Dialog>
    );
  }
  return <EditOrder order={order} animal={animal} onClose={onClose} />;
}

interface EditOrderProps extends Pick<OrderDialogProps, 'onClose'> {
  readonly order: Order;
  readonly animal: string;
}

function EditOrder({ order, animal, onClose }: EditOrderProps) {
  // A newer version that is loaded under the form must not count as seen.
  const [seen] = useState(order);
  return (
    <FormDialog
      title={`Adoption of ${animal}`}
      action="Save"
      onSubmit={(values) => save(seen, animal, values)}
      onClose={onClose}
    >
      <OrderFacts order={order} />
      <PersonalFields order={seen} />
      <EraseButton order={order} animal={animal} onClose={onClose} />
    </FormDialog>
  );
}

async function loadOrder(id: string, signal: AbortSignal) {
  const order = await store.orders.get(readNumber(id) ?? 0, { signal });
  const { items } = await store.pets.list({ id: order.petId }, { signal }).page();
  return { order, animal: items[0]?.name ?? `animal ${order.petId}, removed` };
}

interface OrderFactsProps {
  readonly order: Order;
  readonly withPersonal?: boolean;
}

function OrderFacts({ order, withPersonal = false }: OrderFactsProps) {
  return (
    <dl class="facts">
      <dt>Status</dt>
      <dd>
        <Status value={order.status} />
      </dd>
      <dt>Placed</dt>
      <dd>{formatMoment(order.placedAt)}</dd>
      <dt>Last change</dt>
      <dd>{formatMoment(order.updatedAt)}</dd>
      {withPersonal &&
        PERSONAL_FIELDS.filter((field) => order[field] !== undefined).map((field) => (
          <Fact key={field} name={LABELS[field]} value={order[field]} />
        ))}
    </dl>
  );
}

const LABELS = { adopter: 'Adopter', contact: 'Contact', note: 'Note' } as const;

function Fact({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  return (
    <>
      <dt>{name}</dt>
      <dd class="order-text">{value}</dd>
    </>
  );
}

function PersonalFields({ order }: { readonly order: Order }) {
  return (
    <>
      <Field
        {...{ label: LABELS.adopter, name: 'adopter', maxLength: ADOPTER_MAX }}
        value={order.adopter ?? ''}
      />
      <Field
        {...{ label: LABELS.contact, name: 'contact', maxLength: CONTACT_MAX }}
        value={order.contact ?? ''}
      />
      <TextArea
        {...{ label: LABELS.note, name: 'note', maxLength: NOTE_MAX }}
        value={order.note ?? ''}
      />
    </>
  );
}

/** Erases who adopted, and keeps the adoption. */
function EraseButton({ order, animal, onClose }: EditOrderProps) {
  if (!may('write') || !hasPersonal(order)) return null;

  async function erase() {
    const sure = await confirm({
      title: 'Erase the personal details?',
      text: `The adopter, the contact and the note of this adoption of ${animal} are erased. This cannot be undone.`,
      action: 'Erase',
    });
    if (!sure) return;
    await carryOut({
      label: `Erase the personal details: ${animal}`,
      send: () => store.orders.update(order.id, { adopter: null, contact: null, note: null }),
      done: () => notify('The personal details are erased.'),
    });
    onClose();
  }

  return (
    <p>
      <button type="button" class="button small quiet" onClick={() => attempt(erase)}>
        Erase personal details…
      </button>
    </p>
  );
}

async function save(order: Order, animal: string, values: FormData): Promise<void> {
  const change: OrderChange = {};
  for (const field of PERSONAL_FIELDS) {
    const value = String(values.get(field) ?? '').trim();
    // A field that was emptied is erased.
    if (value !== (order[field] ?? '')) change[field] = value === '' ? null : value;
  }
  if (Object.keys(change).length === 0) return;
  await changeRecord<Order>({
    label: `Change the adoption of ${animal}`,
    name: `the adoption of ${animal}`,
    seen: order,
    wanted: change as Partial<Order>,
    fields: PERSONAL_FIELDS.map((field) => ({
      label: LABELS[field],
      show: (version) => version[field] ?? '',
    })),
    read: () => store.orders.get(order.id),
    update: (wanted, ifMatch) => store.orders.update(order.id, wanted as OrderChange, { ifMatch }),
    done: () => notify(`The adoption of ${animal} is saved.`),
  });
}
