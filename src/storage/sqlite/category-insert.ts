import type { Database } from 'bun:sqlite';
import type { Category } from '../../domain/category.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { foldCase } from '../../domain/name.ts';
import type { NoteChange } from './change-writer.ts';
import { insertedRow } from './connection.ts';

/** Adds a category whose name nobody has, inside a transaction. */
export type InsertCategory = (name: string, stamp: ChangeStamp) => Category;

/** Creates the insert for requests and imports, so that both note it in the change log. */
export function createCategoryInsert(database: Database, noteChange: NoteChange): InsertCategory {
  const insert = database.query<Category, [string, string]>(
    'INSERT INTO categories (name, name_folded) VALUES (?, ?) RETURNING id, name',
  );
  return (name, stamp) => {
    const category = insertedRow(insert, name, foldCase(name));
    noteChange({ type: 'category.created', category }, stamp);
    return category;
  };
}
