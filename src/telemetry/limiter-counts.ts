import type { Decision, Limiter, Refusal } from '../domain/allowance.ts';
import { counter, gauge, type Metric } from './exposition.ts';

/** Decisions for one kind of caller. */
interface Decisions {
  granted: number;
  readonly refused: Record<Refusal, number>;
}

/** Counts the decisions of a limiter. What is not charged is not counted. */
export function countDecisions(counted: Limiter) {
  const ofKeys = createDecisions();
  const ofAddresses = createDecisions();
  let bans = 0;

  function noted(decisions: Decisions, decision: Decision): Decision {
    const { refusal, setsBan } = decision;
    if (refusal === undefined) decisions.granted++;
    else decisions.refused[refusal]++;
    if (setsBan) bans++;
    return decision;
  }

  async function notedLater(decisions: Decisions, decided: Promise<Decision>): Promise<Decision> {
    return noted(decisions, await decided);
  }

  const limiter: Limiter = {
    ...counted,
    charge(caller, now) {
      const decided = counted.charge(caller, now);
      return decided instanceof Promise ? notedLater(ofKeys, decided) : noted(ofKeys, decided);
    },
    chargeAddress: (group, now) => notedLater(ofAddresses, counted.chargeAddress(group, now)),
  };

  return {
    limiter,
    metrics: [
      counter(
        'petstore_limiter_decisions_total',
        'Requests charged to an API key, or to an address without a valid key, by decision: granted, or refused for the minute, the day or a ban.',
        () => [...samplesOf('key', ofKeys), ...samplesOf('address', ofAddresses)],
      ),
      counter(
        'petstore_limiter_bans_total',
        'Bans set because an API key kept sending requests over its limit.',
        () => bans,
      ),
      ...sharingMetrics(counted),
    ],
  };
}

function createDecisions(): Decisions {
  return { granted: 0, refused: { minute: 0, day: 0, banned: 0 } };
}

/** Leaves out what cannot happen: an address has neither a day window nor bans. */
function samplesOf(caller: 'key' | 'address', { granted, refused }: Decisions) {
  const { minute, ...others } = refused;
  const decisions = { granted, minute, ...(caller === 'key' && others) };
  return Object.entries(decisions).map(
    ([decision, count]) => [{ caller, decision }, count] as const,
  );
}

/** Metrics of sharing with other instances, without samples for a limiter that does not share. */
function sharingMetrics({ sharing }: Limiter): readonly Metric[] {
  return [
    gauge(
      'petstore_limiter_shared',
      '1 while limits are shared with the other instances, 0 while this instance counts by itself because Valkey does not respond.',
      () => sharing()?.shared,
    ),
    counter(
      'petstore_limiter_outages_total',
      'Number of times a connection to Valkey was lost.',
      () => sharing()?.outages,
    ),
    counter(
      'petstore_limiter_decided_alone_total',
      'Decisions made without Valkey, by the counts of this instance.',
      () => sharing()?.localFallbacks,
    ),
  ];
}
