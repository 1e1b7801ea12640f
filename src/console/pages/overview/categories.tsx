import { formatNumber } from '../../format.ts';
import type { CategoryStats } from '../../service.ts';

/** The largest categories are shown; the page of categories has them all. */
const SHOWN = 8;

/** The animals by category, the largest first. */
export function Categories({ categories }: { readonly categories: readonly CategoryStats[] }) {
  const largest = Math.max(1, ...categories.map(({ pets }) => pets));
  return (
    <section class="overview-part" aria-labelledby="by-category">
      <h2 id="by-category">Animals by category</h2>
      <ul class="overview-bars">
        {categories.slice(0, SHOWN).map(({ id, name, pets }) => (
          <li key={id}>
            <a href={`/console/animals?category=${id}`}>{name}</a>
            <span>{formatNumber(pets)}</span>
            <svg viewBox={`0 0 ${largest} 1`} preserveAspectRatio="none" aria-hidden="true">
              <rect width={pets} height="1" />
            </svg>
          </li>
        ))}
      </ul>
      <p class="overview-note">
        <a href="/console/categories">
          {categories.length === 0 ? 'Add the first category' : 'All categories'}
        </a>
      </p>
    </section>
  );
}
