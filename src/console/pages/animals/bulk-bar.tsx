import { Button } from '../../components/button.tsx';
import { confirm, open } from '../../components/dialog.tsx';
import { Menu } from '../../components/menu.tsx';
import { failureOf } from '../../failures.ts';
import { count, formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { announce } from '../../live.ts';
import { notify } from '../../notices.tsx';
import { type Pet, store } from '../../service.ts';
import type { AnimalRow } from './animal-table.tsx';
import { BulkDialog, type BulkField, namesOf, publishAll } from './bulk-change.tsx';
import { runWork } from './bulk-run.tsx';
import { printCards } from './sheets.tsx';

/** To remove more animals than these, their number has to be typed. */
const REMOVED_UNTYPED = 10;

interface BulkBarProps {
  readonly animals: readonly AnimalRow[];
  /** The others that match the filter, while a whole page is selected. */
  readonly matching: { readonly total: number | undefined; select(): Promise<void> } | undefined;
  readonly onClear: () => void;
  /** Called when something was done to them. */
  readonly onDone: () => void;
}

/** What can be done to the selected animals. */
export function BulkBar({ animals, matching, onClear, onDone }: BulkBarProps) {
  const pets = animals.map(({ pet }) => pet);
  const change = (field: BulkField) => () =>
    open(<BulkDialog field={field} animals={animals} onDone={onDone} />);
  const publish = (published: boolean) => () => void publishAll(animals, published).then(onDone);

  return (
    <section class="row bulk-bar" aria-label={t`Selected animals`}>
      <p role="status">
        {count(pets.length, 'animal')} {t`selected`}
      </p>
      {matching && (
        <Button kind="quiet" onClick={matching.select}>
          {t`Select all`}
          {matching.total === undefined ? '' : ` ${formatNumber(matching.total)}`} {t`that match`}
        </Button>
      )}
      <Menu
        kind="button"
        control="change"
        label={t`Change selected animals`}
        items={[
          { label: t`Change status`, onSelect: change('status') },
          { label: t`Change category`, onSelect: change('category') },
          { label: t`Move to a place`, onSelect: change('place') },
          { label: t`Publish`, onSelect: publish(true) },
          { label: t`Stop publishing`, onSelect: publish(false) },
        ]}
      >{t`Change`}</Menu>
      <Button onClick={() => printCards(animals)}>{t`Kennel cards`}</Button>
      <Button onClick={() => removeSelected(pets, onDone)}>{t`Remove selected`}</Button>
      <Button kind="quiet" onClick={onClear}>{t`Clear`}</Button>
    </section>
  );
}

async function removeSelected(pets: readonly Pet[], onDone: () => void) {
  const animals = count(pets.length, 'animal');
  const isWanted = await confirm({
    title: t`Remove ${animals}?`,
    text: t`${namesOf(pets)} can be brought back for 30 days.`,
    action: t`Remove ${animals}`,
    typed: pets.length > REMOVED_UNTYPED ? String(pets.length) : undefined,
  });
  if (!isWanted) return;
  await removeAll(pets);
  onDone();
}

/** Removes several animals. One that is already gone counts as removed. */
async function removeAll(pets: readonly Pet[]): Promise<void> {
  const removed = await runWork({
    title: t`Removing ${count(pets.length, 'animal')}`,
    pets,
    act: ({ id }) =>
      store.pets.delete(id).catch((error) => {
        if (failureOf(error).code !== 'pet_not_found') throw error;
      }),
  });
  if (removed.length === 0) return;
  announce('pets');
  notify(t`${count(removed.length, 'animal was', 'animals were')} removed.`, async () => {
    const back = await runWork({
      title: t`Bringing back ${count(removed.length, 'animal')}`,
      pets: removed,
      act: ({ id }) => store.pets.restore(id),
    });
    announce('pets');
    notify(t`${count(back.length, 'animal is', 'animals are')} back.`);
  });
}
