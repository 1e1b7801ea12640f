import { Menu } from '../../components/menu.tsx';
import { explain } from '../../failures.ts';
import { t } from '../../language.ts';
import { notify } from '../../notices.tsx';
import { collect, store } from '../../service.ts';
import { type AnimalFilter, animalQuery } from './filter.ts';
import { printRound } from './sheets.tsx';

const PAGE_MAX = 100;

/** Prints the list as it is, or everybody that it finds as a sheet to take round. */
export function PrintMenu({ filter }: { readonly filter: AnimalFilter }) {
  async function round() {
    const wanted = { ...animalQuery(filter), sort: 'location', limit: PAGE_MAX } as const;
    // Who has left is met in no kennel.
    const present = wanted.present === 'any' ? 'true' : wanted.present;
    const animals = await collect(store.animals.list({ ...wanted, present }));
    await printRound(animals);
  }
  const failed = (error: unknown) => notify(t`Nothing was printed. ${explain(error)}`);
  return (
    <Menu
      kind="button"
      control="print"
      label={t`Print animals`}
      items={[
        { label: t`This page`, onSelect: () => print() },
        { label: t`Round sheet by place`, onSelect: () => void round().catch(failed) },
      ]}
    >{t`Print`}</Menu>
  );
}
