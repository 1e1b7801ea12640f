/** The adoptions of an animal. */
import { WhenLoaded } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import { formatDay } from '../../format.ts';
import { isOf } from '../../live.ts';
import { useLoaded } from '../../loading.ts';
import { type Pet, store } from '../../service.ts';

/** More than these are on the page of adoptions. */
const SHOWN_MAX = 10;

/** The newest adoptions of an animal, each with a link. */
export function AnimalAdoptions({ pet }: { readonly pet: Pet }) {
  const loaded = useLoaded(
    (signal) => {
      const wanted = { petId: pet.id, sort: 'newest', limit: SHOWN_MAX } as const;
      return store.orders.list(wanted, { signal }).page();
    },
    [pet.id],
    ['order'],
    { concerns: isOf(pet.id) },
  );
  return (
    <section class="card side-card" aria-labelledby="adoptions">
      <h2 id="adoptions">Adoptions</h2>
      <WhenLoaded from={loaded}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="hint">None yet.</p>
          ) : (
            <ul class="animal-orders">
              {items.map(({ id, status, adopter, placedAt }) => (
                <li key={id}>
                  <Status value={status} />
                  <span>
                    <a href={`/console/adoptions?order=${id}`}>{adopter ?? `Adoption ${id}`}</a>
                    <small>since {formatDay(placedAt)}</small>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </WhenLoaded>
    </section>
  );
}
