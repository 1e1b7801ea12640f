/** Changing the status of an order, by a button or by dragging. */
import { confirm } from '../../components/confirm.tsx';
import { explain } from '../../components/error-state.tsx';
import { statusName } from '../../components/status.tsx';
import { failureOf } from '../../loading.ts';
import { notify } from '../../notices.ts';
import { carryOut } from '../../outbox.ts';
import { type Order, PetstoreError, store } from '../../service.ts';
import { type Move, movesOf } from './moves.ts';

/** Moves an order, after a question if the step is final. Says what was done, or why not. */
export async function moveOrder(order: Order, move: Move, animal: string): Promise<void> {
  const { to, label, question } = move;
  if (question !== undefined) {
    const { title, consequence } = question;
    const text = `${adoptionOf(order, animal)}. ${consequence}`;
    if (!(await confirm({ title, text, action: label }))) return;
  }
  try {
    await carryOut({
      label: `${label}: ${animal}`,
      send: () => send(order, move),
      done: () => notify(`${animal}: ${statusName(to).toLowerCase()}.`),
    });
  } catch (error) {
    notify(`${animal}: ${explain(failureOf(error))}`);
  }
}

/** `Bella, for the Alvarez family` */
export function adoptionOf({ adopter }: Order, animal: string): string {
  return adopter === undefined ? animal : `${animal}, for ${adopter}`;
}

async function send(seen: Order, move: Move): Promise<Order> {
  try {
    return await store.orders.update(seen.id, { status: move.to }, { ifMatch: seen });
  } catch (error) {
    if (!(error instanceof PetstoreError) || error.code !== 'precondition_failed') throw error;
  }
  const current = await store.orders.get(seen.id);
  // An earlier try arrived, or both wanted the same.
  if (current.status === move.to) return current;
  if (current.status !== seen.status || !movesOf(current).includes(move)) {
    const message = `somebody else has changed this order. It is ${current.status} now.`;
    throw new PetstoreError(message, { code: 'conflict', status: 409 });
  }
  return store.orders.update(seen.id, { status: move.to }, { ifMatch: current });
}
