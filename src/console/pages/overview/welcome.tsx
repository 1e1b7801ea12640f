import { Icon } from '../../components/icon.tsx';
import { may } from '../../session.ts';

/** What an empty shop starts with. */
export function Welcome() {
  return (
    <section class="welcome">
      <Icon name="animals" />
      <h2>Welcome to Petstore</h2>
      {may('write') ? (
        <>
          <p>There are no animals yet. Bring them in from a file, or add them one by one.</p>
          <div class="state-actions">
            <a class="button primary" href="/console/import">
              Import a file
            </a>
            <a class="button" href="/console/animals?open=add">
              Add the first animal
            </a>
          </div>
        </>
      ) : (
        <p>There are no animals yet. Your key may only read; ask an administrator to add them.</p>
      )}
    </section>
  );
}
