import { bringBack, isRestorable, readHistory } from '../../audit-lines.tsx';
import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { useLoaded } from '../../loading.ts';
import { attempt } from '../../notices.tsx';
import type { AuditLine, Pet } from '../../service.ts';
import { History } from './history.tsx';

/** An animal that is not there: what happened to it, and the way to bring it back. */
export function Removed({ id }: { readonly id: Pet['id'] }) {
  const loaded = useLoaded((signal) => readHistory(id, signal), [id]);
  if (loaded.error?.code === 'pet_not_found') return <Unknown />;
  return (
    <WhenLoaded from={loaded}>
      {(lines) => {
        const removal = lines.find(({ type }) => type === 'pet.deleted');
        return removal === undefined ? (
          <Unknown />
        ) : (
          <>
            <Heading removal={removal} id={id} />
            <History id={id} />
          </>
        );
      }}
    </WhenLoaded>
  );
}

function Heading({ removal, id }: { readonly removal: AuditLine; readonly id: Pet['id'] }) {
  const name = removal.subject.name ?? `Number ${id}`;
  return (
    <>
      <PageHeader title={name}>
        {isRestorable(removal) && (
          <Button onClick={() => attempt(() => bringBack({ id, name }))}>Bring back</Button>
        )}
      </PageHeader>
      <p class="page-lead">This animal was removed.</p>
    </>
  );
}

function Unknown() {
  return (
    <>
      <PageHeader title="Animal" />
      <EmptyState
        title="Animal not found"
        text="Somebody has removed it, or the address is misspelt."
      >
        <a class="button" href="/console/animals">
          Show all animals
        </a>
      </EmptyState>
    </>
  );
}
