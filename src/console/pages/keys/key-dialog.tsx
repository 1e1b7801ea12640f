import { Dialog } from '../../components/dialog.tsx';
import { Facts, WhenLoaded } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import { explain } from '../../failures.ts';
import { formatDay, formatMoment } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { readNumber } from '../../router.ts';
import { type Key, store } from '../../service.ts';
import { KeyActions } from './key-actions.tsx';
import { limitsText, planName, scopeText, statusOf } from './key-choices.ts';
import { KeyUsageChart } from './key-usage-chart.tsx';

interface KeyDialogProps {
  /** As in the address. */
  readonly id: string;
  readonly onClose: () => void;
}

/** All about one key: what it may do, what it sent, and how to replace or end it. */
export function KeyDialog({ id, onClose }: KeyDialogProps) {
  const loaded = useLoaded(
    (signal) => store.keys.get(readNumber(id) ?? 0, { signal }),
    [id],
    ['key'],
  );
  return (
    <Dialog title={loaded.value?.name ?? 'Key'} onClose={onClose} isWide>
      <WhenLoaded from={loaded}>
        {(key) => (
          <>
            {loaded.error && <p class="problem">{explain(loaded.error)}</p>}
            <KeyFacts of={key} />
            <KeyUsageChart keyId={key.id} />
            <KeyActions of={key} onRotated={onClose} />
          </>
        )}
      </WhenLoaded>
    </Dialog>
  );
}

function KeyFacts({ of: key }: { readonly of: Key }) {
  const banned = key.ban && ` until ${formatMoment(key.ban.until)}`;
  return (
    <Facts
      of={{
        Status: [<Status key="status" value={statusOf(key)} />, banned],
        Rights: scopeText(key.scopes),
        Plan: `${planName(key.plan)}: ${limitsText(key.perMinute, key.perDay)}`,
        Created: formatDay(key.createdAt),
        Expires: key.expiresAt === null ? 'Never' : formatMoment(key.expiresAt),
        Revoked: key.revokedAt && formatMoment(key.revokedAt),
        'Last used': key.lastUsedAt === null ? 'Never' : formatMoment(key.lastUsedAt),
      }}
    />
  );
}
