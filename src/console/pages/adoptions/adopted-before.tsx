import { contactsIn } from '../../components/contact.tsx';
import { formatDay } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import type { Order } from '../../service.ts';
import { type FoundOrder, readFound } from './search.ts';

/** The longest text to search for. */
const SEARCH_MAX = 200;
/** The most adoptions to name. */
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
export function AdoptedBefore({ order }: { readonly order: Order }) {
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
      {field === 'contact' ? 'The same contact' : 'Somebody of this name'} has adopted before:{' '}
      {value.map(({ order: { id, petId, updatedAt }, pet }, n) => (
        <span key={id}>
          {n > 0 && ', '}
          <a href={`/console/adoptions?order=${id}`}>{pet?.name ?? `animal ${petId}`}</a> (
          {formatDay(updatedAt)})
        </span>
      ))}
    </p>
  );
}
