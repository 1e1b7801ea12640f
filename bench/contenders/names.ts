/** Names of contenders, as the tables show them. */
export const OURS = 'ours';
export const TWO_WORKERS = 'ours, two workers';
export const NGINX = 'nginx, constant';
export const BARE = 'bare Bun.serve, constant';
export const SINGLE_COMMIT = 'one transaction a request';
export const ON_ENGINES = 'ours on PostgreSQL and Valkey';
export const HONO = 'Hono on Bun';
