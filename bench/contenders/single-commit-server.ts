/** `bun single-commit-server.ts PORT FILE DATABASE`: one INSERT and one commit per request. */
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import type { BenchAnimal } from '../animals.ts';
import type { ConstantResponse } from './constant.ts';

const [port, file = '', path = ''] = process.argv.slice(2);
// `writeConstant` wrote the file.
const constant = (await Bun.file(file).json()) as ConstantResponse;
const init = { status: constant.status, headers: constant.headers };

const insert = openConnection(path, 'production').query<
  { id: bigint },
  [string, string, number, string]
>(
  `INSERT INTO pets (name, name_folded, category_id, status, first_status, added_at)
   VALUES (?1, ?2, ?3, ?4, ?4, 0) RETURNING id`,
);

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  async fetch(request) {
    if (request.method !== 'POST') return new Response();
    // The load sends only complete animals.
    const pet = (await request.json()) as Omit<BenchAnimal, 'id'>;
    const { name, categoryId, status } = pet;
    // After `get` SQLite does not checkpoint by itself, so its log would grow without bound.
    const [row] = insert.all(name, name.toLowerCase(), categoryId, status);
    return new Response(JSON.stringify({ id: Number(row?.id), ...pet }), init);
  },
});
