import { useState } from 'preact/hooks';
import { removeRecord } from '../../changes.ts';
import { Dialog } from '../../components/dialog.tsx';
import { explain } from '../../components/error-state.tsx';
import { notify } from '../../notices.ts';
import { type Order, type Pet, type PetstoreError, store } from '../../service.ts';
import { inWords } from './change-animal.ts';
import { noteRemoval } from './newest.ts';

interface RemoveDialogProps {
  readonly pet: Pet;
  readonly onClose: () => void;
}

/** Asks before an animal is removed, and says why it cannot be. */
export function RemoveDialog({ pet, onClose }: RemoveDialogProps) {
  const [refusal, setRefusal] = useState<PetstoreError>();
  const [isSending, setSending] = useState(false);
  const [order, setOrder] = useState<Order>();

  async function remove() {
    if (isSending) return;
    setSending(true);
    setRefusal(undefined);
    try {
      await removeRecord(`Remove ${pet.name}`, () => store.pets.delete(pet.id), tell);
      onClose();
    } catch (error) {
      const failure = inWords(pet, error);
      if (failure.code === 'conflict') setOrder(await newestOrder(pet));
      setRefusal(failure);
      setSending(false);
    }
  }

  function tell() {
    noteRemoval(pet.id);
    notify(`${pet.name} was removed.`);
  }

  return (
    <Dialog title={`Remove ${pet.name}?`} onClose={onClose}>
      {refusal === undefined && (
        <p>The animal and its history are removed. This cannot be undone.</p>
      )}
      <div role="alert">{refusal && <p class="problem">{explain(refusal)}</p>}</div>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        {order ? (
          <a class="button primary" href={`/console/adoptions?order=${order.id}`}>
            Show the adoption
          </a>
        ) : (
          <button type="button" class="button danger" aria-disabled={isSending} onClick={remove}>
            Remove
          </button>
        )}
      </div>
    </Dialog>
  );
}

/** The order that holds an animal is the newest one for it. */
async function newestOrder({ id: petId }: Pet): Promise<Order | undefined> {
  const query = { petId, sort: 'newest', limit: 1 } as const;
  const page = await store.orders
    .list(query)
    .page()
    .catch(() => undefined);
  return page?.items[0];
}
