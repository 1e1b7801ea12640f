import type { ComponentChildren } from 'preact';
import { WhenLoaded } from '../../components/states.tsx';
import { count, formatAge, formatAgo, formatDate } from '../../format.ts';
import { t } from '../../language.ts';
import type { Topic } from '../../live.ts';
import { useLoaded } from '../../loading.ts';
import { problemText } from '../../refusals.ts';
import { type Int64, store, type Work } from '../../service.ts';
import { CHANNEL_KINDS } from '../channels/kinds.ts';

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
    <section class="card wide" aria-labelledby="work">
      <h2 id="work">{t`To do`}</h2>
      <WhenLoaded from={loaded}>{(work) => <Groups of={work} />}</WhenLoaded>
    </section>
  );
}

function Groups({ of }: { readonly of: Work }) {
  const { orders, enquiries, longInCare, withoutPhoto, endedHolds, imports, webhooks, channels } =
    of;
  const groups = [
    orders,
    enquiries,
    longInCare,
    withoutPhoto,
    endedHolds,
    imports,
    webhooks,
    channels,
  ];
  if (groups.every((group) => (group?.count ?? 0) === 0)) {
    return <p class="hint">{t`Nothing waits for you.`}</p>;
  }
  return (
    <ul class="stack overview-work">
      <Group
        of={orders}
        what="adoption"
        rest={t`open for over 3 days`}
        href="/console/adoptions?waiting=3"
        item={({ id, petName, placedAt }) => (
          <>
            <a href={`/console/adoptions?order=${id}`}>{petName}</a>
            {t`, placed`} {formatAgo(placedAt)}
          </>
        )}
      />
      <Group
        of={enquiries}
        what="enquiry"
        several="enquiries"
        rest={t`without an answer`}
        href="/console/enquiries"
        item={({ petId, petName, receivedAt }) => (
          <>
            {petName === null ? t`A removed animal` : <Animal id={petId} name={petName} />},{' '}
            {formatAgo(receivedAt)}
          </>
        )}
      />
      <Group
        of={longInCare}
        what="animal"
        rest={t`in care for over 60 days`}
        href="/console/animals?listed=true&days=60&sort=waiting"
        item={({ petId, petName, since }) => (
          <>
            <Animal id={petId} name={petName} />
            {t`, for ${formatAge(since, 'day')}`}
          </>
        )}
      />
      <Group
        of={withoutPhoto}
        what="animal"
        rest={t`shown to the public without a photo`}
        href="/console/animals?listed=true&photo=false"
        item={({ petId, petName }) => <Animal id={petId} name={petName} />}
      />
      <Group
        of={endedHolds}
        what="hold"
        rest={t`that has ended`}
        href="/console/animals?where=here&care=hold,quarantine,medical&ended=true"
        item={({ petId, petName, careUntil }) => (
          <>
            <Animal id={petId} name={petName} />
            {t`, until`} {formatDate(careUntil)}
          </>
        )}
      />
      <Group
        of={imports}
        what="import"
        rest={t`with rejected rows`}
        href="/console/import"
        item={({ id, rejected, endedAt }) => (
          <>
            <a href={`/console/import?import=${id}`}>{count(rejected, 'row')}</a>,{' '}
            {formatAgo(endedAt)}
          </>
        )}
      />
      <AdminGroups of={of} />
    </ul>
  );
}

/** What only administrators see. */
function AdminGroups({ of: { webhooks, channels } }: { readonly of: Work }) {
  return (
    <>
      {webhooks && (
        <Group
          of={webhooks}
          what="webhook"
          rest={t`that cannot be delivered`}
          href="/console/webhooks"
          item={({ id, url }) => <a href={`/console/webhooks?webhook=${id}`}>{url}</a>}
        />
      )}
      {channels && (
        <Group
          of={channels}
          what="channel"
          rest={t`that did not get its file`}
          href="/console/channels"
          item={({ id, kind, problem }) => (
            <>
              <a href={`/console/channels?channel=${id}`}>{CHANNEL_KINDS[kind]}</a>
              {problem && `: ${problemText(problem)}`}
            </>
          )}
        />
      )}
    </>
  );
}

function Animal({ id, name }: { readonly id: Int64; readonly name: string }) {
  return <a href={`/console/animals/${id}`}>{name}</a>;
}

interface GroupProps<Item> {
  readonly of: { readonly count: number; readonly first: readonly Item[] };
  /** What one of them is, and what there is about them. */
  readonly what: string;
  /** Their plural, if it is not `what` with an s. */
  readonly several?: string;
  readonly rest: string;
  readonly href: string;
  readonly item: (item: Item) => ComponentChildren;
}

/** One kind of work, with a link to the page where it is done; nothing if there is none. */
function Group<Item>({ of, what, several, rest, href, item }: GroupProps<Item>) {
  if (of.count === 0) return null;
  const more = of.count - of.first.length;
  return (
    <li>
      <h3>
        <a href={href}>
          {of.count >= COUNTED_MAX && t`At least `}
          {count(of.count, what, several)}
        </a>{' '}
        {rest}
      </h3>
      <ul>
        {of.first.map((one, n) => (
          <li key={n}>{item(one)}</li>
        ))}
        {more > 0 && (
          <li class="hint">
            {t`and`} {count(more, 'other')}
          </li>
        )}
      </ul>
    </li>
  );
}
