import { Database } from 'bun:sqlite';
import { openConnection } from '../src/storage/sqlite/connection.ts';

/**
 * Fills a database in the order of ids, with names spread evenly. Nothing else uses the database
 * meanwhile, so crash safety is off, and indexes are created afterwards.
 */
export function fill(path: string, count: number, categories = 40): void {
  openConnection(path, 'production').close();
  const database = new Database(path);
  database.run('PRAGMA journal_mode = MEMORY');
  database.run('PRAGMA synchronous = OFF');
  const indexes = database
    .query<{ name: string; sql: string }, []>(
      `SELECT name, sql FROM sqlite_schema
       WHERE type = 'index' AND tbl_name = 'pets' AND sql IS NOT NULL`,
    )
    .all();
  for (const { name } of indexes) database.run(`DROP INDEX ${name}`);
  const names = Array.from({ length: 63 }, (_, i) => `${i.toString(36)}mo${(i * 7).toString(36)}`);
  database.query('CREATE TEMP TABLE first (n INTEGER PRIMARY KEY, name TEXT)').run();
  const add = database.query('INSERT INTO first VALUES (?, ?)');
  for (const [n, name] of ['bella', ...names].entries()) add.run(n, name);
  database
    .query(
      `INSERT INTO pets (name, name_folded, category_id, status, was_offered, added_at)
       WITH RECURSIVE ids (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ids WHERE i < ?1),
       named (i, name, h) AS (
         SELECT i, CASE
           WHEN i % (?1 / 5) = 77 THEN 'quetzal'
           WHEN i % 1000 = 500 THEN 'xylo'
           ELSE (SELECT name FROM first WHERE n = (i * 2654435761 >> 7) % 64)
         END || ' ' || (i * 40503 % 65536), i * 2654435761 >> 13 FROM ids
       )
       SELECT name, name, 1 + h % ?2, CASE (h / ?2) % 3
         WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END, 1, 0
       FROM named`,
    )
    .run(count, categories);
  for (const { sql } of indexes) database.run(sql);
  database.close();
}
