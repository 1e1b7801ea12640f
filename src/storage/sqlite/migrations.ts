import type { Migration } from '../migrations.ts';
import initial from './migrations/0001-initial.sql' with { type: 'text' };

/** The schema, step by step. New steps go at the end; a step that has shipped never changes. */
export const migrations: readonly Migration[] = [{ version: 1, name: 'initial', sql: initial }];
