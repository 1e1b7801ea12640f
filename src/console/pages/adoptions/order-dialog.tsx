import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { confirm, Dialog, open, useClose } from '../../components/dialog.tsx';
import { Answers, Contact, contactsIn, Facts, Status } from '../../components/facts.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog, isComplete, type ReadField, readerOf } from '../../components/form.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { formatDay, formatMoment, todayHere } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { submit } from '../../outbox.tsx';
import { idIn } from '../../router.ts';
import { known, type Order, store } from '../../service.ts';
import { may } from '../../session.ts';
import { OrderMoves } from './board-column.tsx';
import { type Move, moveOrder, movesOf } from './moves.ts';
import { type FoundOrder, readFound } from './order-list.tsx';
import { FORM_FIELDS, PersonalFields } from './start-adoption.tsx';

/** All about one order. Its personal details can be changed while it is open, and always erased. */
export function OrderDialog({ id }: { readonly id: string }) {
  const loaded = useLoaded((signal) => loadOrder(id, signal), [id], ['order']);
  const { value } = loaded;
  const isOpen = value !== undefined && movesOf(value.order).length > 0;
  if (isOpen && may('write')) {
    return <EditOrder {...value} />;
  }
  return (
    <Dialog title={value ? t`Adoption of ${value.animal}` : t`Adoption`}>
      <WhenLoaded from={loaded}>
        {({ order, animal }) => (
          <>
            <OrderFacts order={order} withPersonal />
            <div class="row dialog-actions">
              {order.status === 'completed' && order.returnedAt === undefined && may('write') && (
                <Button
                  onClick={() => open(<ReturnDialog order={order} animal={animal} />)}
                >{t`Returned…`}</Button>
              )}
              <EraseButton order={order} animal={animal} />
            </div>
          </>
        )}
      </WhenLoaded>
    </Dialog>
  );
}

interface EditOrderProps {
  readonly order: Order;
  readonly animal: string;
}

function EditOrder({ order, animal }: EditOrderProps) {
  // A newer version that is loaded under the form must not count as seen.
  const [seen, setSeen] = useState(order);

  /** What was typed is saved with the move: afterwards, the form may be gone. */
  async function carry(move: Move, form: HTMLFormElement | null) {
    if (!form?.dataset['touched']) return moveOrder(order, move, animal);
    if (!isComplete(form)) return;
    const read = readerOf(form);
    await moveOrder(order, move, animal, async () => {
      await save(seen, animal, read, setSeen);
      delete form.dataset['touched'];
    });
  }

  return (
    <FormDialog
      title={t`Adoption of ${animal}`}
      of={order}
      onSubmit={(field) => save(seen, animal, field)}
      aside={<EraseButton order={order} animal={animal} />}
    >
      <OrderFacts order={order} />
      <OrderMoves moves={movesOf(order)} onMove={carry} />
      <PersonalFields />
    </FormDialog>
  );
}

async function loadOrder(id: string, signal: AbortSignal) {
  const order = await store.orders.get(idIn(id), { signal });
  const { items } = await store.pets.list({ id: order.petId }, { signal }).page();
  return { order, animal: items[0]?.name ?? t`animal ${order.petId}, removed` };
}

interface OrderFactsProps {
  readonly order: Order;
  readonly withPersonal?: boolean;
}

function OrderFacts({ order, withPersonal = false }: OrderFactsProps) {
  const { adopter, contact, note } = order;
  const reach = contact === undefined ? undefined : <Contact of={contact} />;
  return (
    <>
      <Facts
        of={{
          Animal: <a href={`/console/animals/${order.petId}`}>{t`Number ${order.petId}`}</a>,
          Status: <Status value={order.status} />,
          Placed: formatMoment(order.placedAt),
          Approved: order.approvedAt && formatMoment(order.approvedAt),
          Completed: order.completedAt && formatMoment(order.completedAt),
          Cancelled: order.cancelledAt && formatMoment(order.cancelledAt),
          Returned: order.returnedAt && formatMoment(order.returnedAt),
          ...(order.returnReason && { Why: order.returnReason }),
          ...(withPersonal
            ? { Adopter: adopter, Contact: reach, Note: note }
            : { 'Write or call': reach }),
          Answers: order.answers && <Answers of={order.answers} />,
        }}
      />
      {may('write') && <AdoptedBefore order={order} />}
    </>
  );
}

const REASON_MAX = 500;

/** Asks when and why an animal came back. */
function ReturnDialog({ order, animal }: EditOrderProps) {
  const title = t`${animal} came back`;
  const save = (read: ReadField) =>
    submit<Order>({
      label: title,
      call: (to) =>
        to.orders.return(order.id, known({ date: read('date'), reason: read('reason') })),
      says: t`${animal} is here again, and not published.`,
    });
  return (
    <FormDialog title={title} action={t`Save`} onSubmit={save}>
      <Field name="date" label={t`On`} type="date" value={todayHere()} required />
      <Field name="reason" type="textarea" maxLength={REASON_MAX} />
    </FormDialog>
  );
}

/** Everything personal that an adoption may hold. */
const ERASED = [...FORM_FIELDS, 'answers', 'returnReason'] as const;

/** Erases who adopted, and keeps the adoption. */
function EraseButton({ order, animal }: EditOrderProps) {
  const close = useClose();
  if (!may('write') || ERASED.every((field) => order[field] === undefined)) return null;

  async function erase() {
    const sure = await confirm({
      title: t`Erase the personal details?`,
      text: t`The adopter, the contact, the note and the answers of this adoption of ${animal} are erased. This cannot be undone.`,
      action: t`Erase`,
    });
    if (!sure) return;
    await submit({
      label: t`Erase the personal details: ${animal}`,
      call: (to) =>
        to.orders.update(order.id, Object.fromEntries(ERASED.map((one) => [one, null]))),
      says: t`The personal details are erased.`,
    });
    close();
  }

  return <Button kind="quiet danger" onClick={erase}>{t`Erase personal details…`}</Button>;
}

async function save(
  order: Order,
  animal: string,
  read: ReadField,
  done?: (saved: Order) => void,
): Promise<void> {
  // A field that was emptied is erased.
  const change = Object.fromEntries(FORM_FIELDS.map((field) => [field, read(field) || null]));
  await submit<Order>({
    label: t`Change the adoption of ${animal}`,
    call: (to) => to.orders.update(order.id, change),
    edits: { seen: order, name: t`the adoption of ${animal}` },
    says: t`The adoption of ${animal} is saved.`,
    done,
  });
}

const SEARCH_MAX = 200;
const NAMED_MAX = 5;

const partsOf = (text: string | undefined) =>
  contactsIn(text ?? '').map((part) => part.trim().toLowerCase());

/** Whether two contacts have an address or a number in common, or two names are the same. */
function same(field: 'adopter' | 'contact', a: string | undefined, b: string): boolean {
  if (field === 'adopter') return a?.trim().toLowerCase() === b.trim().toLowerCase();
  const wanted = partsOf(b);
  return partsOf(a).some((part) => wanted.includes(part));
}

/** Says which animals somebody with this contact, or else this name, has adopted before. */
function AdoptedBefore({ order }: { readonly order: Order }) {
  const field = order.contact === undefined ? 'adopter' : 'contact';
  const wanted = order[field];
  const { value = [] } = useLoaded(async () => {
    const found: FoundOrder[] = [];
    if (wanted === undefined) return found;
    const parts = field === 'contact' ? contactsIn(wanted) : [wanted];
    for (const part of parts) {
      const q = [...part].slice(0, SEARCH_MAX).join('');
      for await (const other of readFound({ q, status: 'completed' })) {
        const isKnown = [order, ...found.map((one) => one.order)].some(
          ({ id }) => id === other.order.id,
        );
        if (!isKnown && same(field, other.order[field], wanted)) found.push(other);
        if (found.length === NAMED_MAX) return found;
      }
    }
    return found;
  }, [order.id, wanted]);
  if (value.length === 0) return null;
  return (
    <p class="adopted-before">
      {field === 'contact'
        ? t`This contact has adopted before:`
        : t`Somebody of this name has adopted before:`}{' '}
      {value.map(({ order: { id, petId, updatedAt, completedAt = updatedAt }, pet }, n) => (
        <span key={id}>
          {n > 0 && ', '}
          <a href={`/console/adoptions?order=${id}`}>{pet?.name ?? t`animal ${petId}`}</a> (
          {formatDay(completedAt)})
        </span>
      ))}
    </p>
  );
}
