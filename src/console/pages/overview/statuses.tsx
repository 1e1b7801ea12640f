import { Status } from '../../components/status.tsx';
import { formatNumber } from '../../format.ts';
import type { Stats } from '../../service.ts';

const STATUSES = [
  ['available', 'waiting for a home'],
  ['pending', 'with an adoption under way'],
  ['sold', 'at home'],
] as const;

/** The animals by status, each leading to them. */
export function Statuses({ pets }: Pick<Stats, 'pets'>) {
  return (
    <section aria-labelledby="by-status">
      <h2 id="by-status" class="visually-hidden">
        Animals by status
      </h2>
      <ul class="overview-statuses">
        {STATUSES.map(([status, meaning]) => (
          <li key={status}>
            <a href={`/console/animals?status=${status}`}>
              <Status value={status} /> <strong>{formatNumber(pets[status])}</strong>{' '}
              <span>{meaning}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
