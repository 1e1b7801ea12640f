import { removeRecord } from '../../changes.ts';
import { confirm } from '../../components/confirm.tsx';
import { explain } from '../../components/error-state.tsx';
import { count } from '../../format.ts';
import { failureOf } from '../../loading.ts';
import { notify } from '../../notices.ts';
import { navigate } from '../../router.ts';
import { type Category, store } from '../../service.ts';

/**
 * Removes a category after a question. One with animals cannot be removed: then it leads to them.
 * `animals` is their number as far as it is known.
 */
export async function removeCategory(
  category: Category,
  animals: number,
  onDone: () => void,
): Promise<void> {
  const { id, name } = category;
  if (animals > 0) return leadToAnimals(category, count(animals, 'animal'));
  const isWanted = await confirm({
    title: `Remove ${name}?`,
    text: 'Nobody can choose this category afterwards.',
    action: 'Remove category',
  });
  if (!isWanted) return;
  try {
    await removeRecord(
      `Remove category ${name}`,
      () => store.categories.delete(id),
      () => {
        notify(`${name} was removed.`);
        onDone();
      },
    );
  } catch (error) {
    const failure = failureOf(error);
    if (failure.code === 'conflict') await leadToAnimals(category, 'some animals');
    else notify(`${name} was not removed. ${explain(failure)}`);
  }
}

async function leadToAnimals({ id, name }: Category, animals: string): Promise<void> {
  const isWanted = await confirm({
    title: `${name} still has ${animals}`,
    text: 'A category can be removed when no animal is in it. Move the animals to another one first.',
    action: 'Show these animals',
    isHarmless: true,
  });
  if (isWanted) navigate(`/console/animals?category=${id}`);
}
