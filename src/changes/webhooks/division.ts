import {
  type DeliveryReport,
  type DeliveryStorage,
  type Survey,
  type SurveyedWebhook,
  WEBHOOK_STATES,
} from '../../domain/delivery.ts';
import type { WaitTime } from '../watch.ts';

/** A deliverer whose beat has not grown for this long is dead. */
export const DEAD_MS = 6_000;
/** A deliverer that could not show its beat for this long gives up its webhooks: before `DEAD_MS`. */
export const LOST_MS = 5_000;

/** The share of this process in the work. */
export interface Share {
  /** Enabled webhooks that this process holds. */
  readonly own: readonly SurveyedWebhook[];
  /** The number of them that it should leave to others. */
  readonly excess: number;
  /** All webhooks by state. */
  readonly states: DeliveryReport['webhooks'];
}

/** Divides the webhooks among the processes that deliver. */
export interface Division {
  /** The id of this process; undefined while it takes no part. */
  id(): bigint | undefined;
  /**
   * Shows that this process lives, removes those that died, and takes what is free and due to it.
   * Returns its share. Takes no part while there is no enabled webhook.
   */
  look(): Promise<Share>;
  /** Returns whether others may take what this process holds, since it could not show that it lives. */
  isLost(): boolean;
  /** Takes no part until the next look. */
  forget(): void;
  /** Frees all that this process holds. */
  leave(): Promise<void>;
}

/** Greater than every beat. */
const ANY_BEAT = 2n ** 62n;

/** Creates the division. Only the monotonic clock of this process is read. */
export function createDivision(
  storage: DeliveryStorage,
  time: Pick<WaitTime, 'now'>,
  random: () => number,
): Division {
  let id: bigint | undefined;
  /** Before the last beat that succeeded was sent. */
  let aliveAt = 0;
  /** The beats of the others, and when each was first seen. */
  let seen = new Map<bigint, { readonly beat: bigint; readonly since: number }>();

  async function beat(): Promise<void> {
    if (id === undefined) return;
    const startedAt = time.now();
    if (await storage.beat(id)) aliveAt = startedAt;
    else id = undefined;
  }

  async function join(): Promise<void> {
    const startedAt = time.now();
    id = await storage.register();
    aliveAt = startedAt;
  }

  /** Removes those that died. */
  async function watchOthers({ deliverers }: Survey): Promise<void> {
    const now = time.now();
    const before = seen;
    seen = new Map();
    for (const each of deliverers) {
      if (each.id === id) continue;
      const last = before.get(each.id);
      const since = last?.beat === each.beat ? last.since : now;
      if (now - since >= DEAD_MS) await storage.removeDeliverer(each);
      else seen.set(each.id, { beat: each.beat, since });
    }
  }

  /** Takes free webhooks, starting anywhere, so that two that start together take different ones. */
  async function claim(free: readonly SurveyedWebhook[], most: number): Promise<void> {
    if (id === undefined || free.length === 0 || most <= 0) return;
    const start = Math.floor(random() * free.length);
    await storage.claim(id, [...free.slice(start), ...free.slice(0, start)].slice(0, most));
  }

  async function leave(): Promise<void> {
    const own = id;
    id = undefined;
    if (own !== undefined) await storage.removeDeliverer({ id: own, beat: ANY_BEAT });
  }

  return {
    id: () => id,
    async look() {
      await beat();
      let survey = await storage.survey();
      const states = statesOf(survey);
      if (!survey.webhooks.some(isEnabled)) {
        await leave();
        return { own: [], excess: 0, states };
      }
      if (id === undefined) await join();
      await watchOthers(survey);
      survey = await storage.survey();
      const enabled = survey.webhooks.filter(isEnabled);
      const alive = new Set(survey.deliverers.map((each) => each.id));
      const isFree = ({ delivererId }: SurveyedWebhook) =>
        delivererId === null || !alive.has(delivererId);
      const isOwn = ({ delivererId }: SurveyedWebhook) => delivererId === id;
      const due = Math.ceil(enabled.length / Math.max(1, alive.size));
      const own = enabled.filter(isOwn);
      const free = enabled.filter(isFree);
      if (free.length === 0 || own.length >= due) {
        return { own, excess: Math.max(0, own.length - due), states };
      }
      await claim(free, due - own.length);
      const { webhooks } = await storage.survey();
      return { own: webhooks.filter((each) => isEnabled(each) && isOwn(each)), excess: 0, states };
    },
    isLost: () => id !== undefined && time.now() - aliveAt >= LOST_MS,
    forget() {
      id = undefined;
    },
    leave,
  };
}

function isEnabled({ disabledReason }: SurveyedWebhook): boolean {
  return disabledReason === null;
}

function statesOf({ webhooks }: Survey): Share['states'] {
  const states = webhooks.map(({ disabledReason }) => disabledReason ?? 'enabled');
  const counts = WEBHOOK_STATES.map((state) => [
    state,
    states.filter((each) => each === state).length,
  ]);
  return Object.fromEntries(counts);
}
