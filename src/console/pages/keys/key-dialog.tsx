import { Dialog } from '../../components/dialog.tsx';
import { ErrorState, explain } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { Status } from '../../components/status.tsx';
import { formatDay, formatMoment } from '../../format.ts';
import { readNumber } from '../../int64.ts';
import { useLoaded } from '../../loading.ts';
import { query } from '../../router.ts';
import { type IssuedKey, type Key, PetstoreError, store } from '../../service.ts';
import { KeyActions } from './key-actions.tsx';
import { limitsText, planName, scopeText, statusOf } from './key-choices.ts';
import { KeyUsageChart } from './key-usage-chart.tsx';

interface KeyDialogProps {
  /** As in the address. */
  readonly id: string;
  readonly onClose: () => void;
  readonly onChanged: () => void;
  readonly onIssued: (key: IssuedKey) => void;
}

/** All about one key: what it may do, what it sent, and how to replace or end it. */
export function KeyDialog({ id, onClose, onChanged, onIssued }: KeyDialogProps) {
  const { value, error, reload } = useLoaded((signal) => keyOf(id, signal), [id]);

  function changed() {
    reload();
    onChanged();
  }

  return (
    <Dialog title={value?.name ?? 'Key'} onClose={onClose} isWide>
      {value === undefined && error === undefined && <LoadingState />}
      {value === undefined && error && <ErrorState error={error} retry={reload} />}
      {value !== undefined && (
        <>
          {error && <p class="problem">{explain(error)}</p>}
          <KeyFacts of={value} />
          <KeyUsageChart keyId={value.id} />
          <KeyActions
            of={value}
            onChanged={changed}
            onIssued={(issued) => {
              // It may be sent later, when the person is elsewhere.
              if (query.value.get('key') === id) onClose();
              onIssued(issued);
            }}
          />
        </>
      )}
    </Dialog>
  );
}

async function keyOf(id: string, signal: AbortSignal): Promise<Key> {
  const number = readNumber(id);
  if (number === undefined) {
    throw new PetstoreError('There is no key with this number.', { code: 'key_not_found' });
  }
  return store.keys.get(number, { signal });
}

function KeyFacts({ of: key }: { readonly of: Key }) {
  return (
    <dl class="facts">
      <dt>Status</dt>
      <dd>
        <Status value={statusOf(key)} />
        {key.ban !== null && ` until ${formatMoment(key.ban.until)}`}
      </dd>
      <dt>Rights</dt>
      <dd>{scopeText(key.scopes)}</dd>
      <dt>Plan</dt>
      <dd>
        {planName(key.plan)}: {limitsText(key.perMinute, key.perDay)}
      </dd>
      <dt>Created</dt>
      <dd>{formatDay(key.createdAt)}</dd>
      <dt>Expires</dt>
      <dd>{key.expiresAt === null ? 'Never' : formatMoment(key.expiresAt)}</dd>
      {key.revokedAt !== null && (
        <>
          <dt>Revoked</dt>
          <dd>{formatMoment(key.revokedAt)}</dd>
        </>
      )}
      <dt>Last used</dt>
      <dd>{key.lastUsedAt === null ? 'Never' : formatMoment(key.lastUsedAt)}</dd>
    </dl>
  );
}
