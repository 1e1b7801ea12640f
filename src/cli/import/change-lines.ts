import type { CategoryStorage } from '../../domain/category.ts';
import { foldCase } from '../../domain/name.ts';
import type { ImportedChange, ImportedPet } from '../../domain/pet.ts';

/** Describes changes, one line each: `A716089 "Rex": status available → sold`. */
export async function changeLines(
  changes: readonly ImportedChange[],
  categories: CategoryStorage,
): Promise<string[]> {
  const lines: string[] = [];
  for (const change of changes) lines.push(await changeLine(change, categories));
  return lines;
}

async function changeLine(
  { before, row, isPetChanged, profile }: ImportedChange,
  categories: CategoryStorage,
): Promise<string> {
  const parts: string[] = [];
  if (isPetChanged) {
    if (before.name !== row.name) parts.push(`name now "${row.name}"`);
    if (before.status !== row.status) parts.push(`status ${before.status} → ${row.status}`);
    const from = await categoryText({ id: before.categoryId }, categories);
    const to = await categoryText(row.category, categories);
    if (foldCase(from) !== foldCase(to)) parts.push(`category ${from} → ${to}`);
  }
  // Their values can be long, or private.
  const fields = Object.keys(profile);
  if (fields.length > 0) parts.push(`profile ${fields.join(', ')}`);
  return `${row.externalId} "${before.name}": ${parts.join(', ')}`;
}

/** Returns the name of a category, or its id if it does not exist. */
async function categoryText(
  category: ImportedPet['category'],
  categories: CategoryStorage,
): Promise<string> {
  if ('name' in category) return category.name;
  return (await categories.find(category.id))?.name ?? String(category.id);
}
