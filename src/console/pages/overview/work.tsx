import { LoadedSection } from '../../components/states.tsx';
import { count, formatAge, formatAgo, formatDate } from '../../format.ts';
import { t } from '../../language.ts';
import type { Topic } from '../../live.ts';
import { useLoaded } from '../../loading.ts';
import { problemText } from '../../refusals.ts';
import { type Int64, store, type Work } from '../../service.ts';
import { CHANNEL_KINDS } from '../../words.ts';

/** What most of the work follows from. Imports, webhooks and days that pass are no events. */
const TOPICS: readonly Topic[] = ['pet', 'order', 'enquiry', 'profile', 'photo'];
const REFRESH_MS = 60_000;
/** The service counts no further. */
const COUNTED_MAX = 1_000;

/** For those who change animals: what there is to do today. */
export function WorkToDo() {
  const loaded = useLoaded((signal) => store.work.get({ signal }), [], TOPICS, {
    everyMs: REFRESH_MS,
  });
  return (
    <LoadedSection id="work" title={t`To do`} kind="card wide" from={loaded}>
      {(work) => <Groups of={work} />}
    </LoadedSection>
  );
}

/** What is said of one: a name, the page that it leads to, and what follows the name. */
type Told = readonly [name: string, page?: string | undefined, rest?: string | undefined];

/** One kind of work. */
interface Kind<Item> {
  /** What one of them is, and what there is about them. */
  readonly what: string;
  /** Their plural, if it is not `what` with an s. */
  readonly several?: string;
  readonly rest: string;
  /** The page of the console where it is done. */
  readonly page: string;
  readonly item: (item: Item) => Told;
}

const pageOf = (petId: Int64) => `animals/${petId}`;

type Kinds = { readonly [Name in keyof Work]-?: Kind<NonNullable<Work[Name]>['first'][number]> };

const KINDS: Kinds = {
  orders: {
    what: 'adoption',
    rest: t`open for over 3 days`,
    page: 'adoptions?waiting=3',
    item: ({ id, petName, placedAt }) => [
      petName,
      `adoptions?order=${id}`,
      t`placed ${formatAgo(placedAt)}`,
    ],
  },
  enquiries: {
    what: 'enquiry',
    several: 'enquiries',
    rest: t`without an answer`,
    page: 'enquiries',
    item: ({ petId, petName, receivedAt }) =>
      petName === null
        ? [t`A removed animal`, undefined, formatAgo(receivedAt)]
        : [petName, pageOf(petId), formatAgo(receivedAt)],
  },
  longInCare: {
    what: 'animal',
    rest: t`in care for over 60 days`,
    page: 'animals?listed=true&days=60&sort=waiting',
    item: ({ petId, petName, since }) => [
      petName,
      pageOf(petId),
      t`for ${formatAge(since, 'day')}`,
    ],
  },
  withoutPhoto: {
    what: 'animal',
    rest: t`shown to the public without a photo`,
    page: 'animals?listed=true&photo=false',
    item: ({ petId, petName }) => [petName, pageOf(petId)],
  },
  endedHolds: {
    what: 'hold',
    rest: t`past the last day`,
    page: 'animals?where=here&care=hold,quarantine,medical&ended=true',
    item: ({ petId, petName, careUntil }) => [
      petName,
      pageOf(petId),
      t`until ${formatDate(careUntil)}`,
    ],
  },
  imports: {
    what: 'import',
    rest: t`with rejected rows`,
    page: 'import',
    item: ({ id, rejected, endedAt }) => [
      count(rejected, 'row'),
      `import?import=${id}`,
      formatAgo(endedAt),
    ],
  },
  webhooks: {
    what: 'webhook',
    rest: t`without delivery`,
    page: 'webhooks',
    item: ({ id, url }) => [url, `webhooks?webhook=${id}`],
  },
  channels: {
    what: 'channel',
    rest: t`without a new file`,
    page: 'channels',
    item: ({ id, kind, problem }) => [
      CHANNEL_KINDS[kind],
      `channels?channel=${id}`,
      problem === null ? undefined : problemText(problem),
    ],
  },
};

/** The kinds of which there is some, each with a link to the page where it is done. */
function Groups({ of }: { readonly of: Work }) {
  // What only administrators see is missing for others.
  const names = (Object.keys(KINDS) as (keyof Work)[]).filter((name) => of[name]?.count);
  if (names.length === 0) return <p class="hint">{t`There is nothing to do right now.`}</p>;
  return (
    <ul class="stack overview-work">
      {names.map((name) => (
        // The items of a name are of its kind.
        <Group key={name} of={of[name] as WorkOf<object>} kind={KINDS[name] as Kind<object>} />
      ))}
    </ul>
  );
}

interface WorkOf<Item> {
  readonly count: number;
  readonly first: readonly Item[];
}

interface GroupProps {
  readonly of: WorkOf<object>;
  readonly kind: Kind<object>;
}

function Group({ of, kind: { what, several, rest, page, item } }: GroupProps) {
  const more = of.count - of.first.length;
  const counted = count(of.count, what, several);
  return (
    <li>
      <h3>
        <a href={`/console/${page}`}>{of.count < COUNTED_MAX ? counted : t`At least ${counted}`}</a>{' '}
        {rest}
      </h3>
      <ul>
        {of.first.map(item).map(([name, page, after], n) => (
          <li key={n}>
            {page === undefined ? name : <a href={`/console/${page}`}>{name}</a>}
            {after && `: ${after}`}
          </li>
        ))}
        {more > 0 && <li class="hint">{t`and ${count(more, 'other')}`}</li>}
      </ul>
    </li>
  );
}
