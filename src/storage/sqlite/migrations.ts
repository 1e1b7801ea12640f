import type { Migration } from '../migrations.ts';
import initial from './migrations/0001-initial.sql' with { type: 'text' };
import allowances from './migrations/0002-allowances.sql' with { type: 'text' };
import orders from './migrations/0003-orders.sql' with { type: 'text' };
import petNames from './migrations/0004-pet-names.sql' with { type: 'text' };
import mergedNames from './migrations/0005-merged-names.sql' with { type: 'text' };
import firstStatus from './migrations/0006-first-status.sql' with { type: 'text' };
import mergedEvenly from './migrations/0007-merged-names-evenly.sql' with { type: 'text' };
import orderContacts from './migrations/0008-order-contacts.sql' with { type: 'text' };
import importedRows from './migrations/0009-imported-rows.sql' with { type: 'text' };
import keyFamilies from './migrations/0010-key-families.sql' with { type: 'text' };
import changes from './migrations/0011-changes.sql' with { type: 'text' };
import usage from './migrations/0012-usage.sql' with { type: 'text' };
import webhooks from './migrations/0013-webhooks.sql' with { type: 'text' };
import imports from './migrations/0014-imports.sql' with { type: 'text' };
import counts from './migrations/0015-counts.sql' with { type: 'text' };
import sessions from './migrations/0016-sessions.sql' with { type: 'text' };
import sharedFrom from './migrations/0017-shared-from.sql' with { type: 'text' };
import webhookLease from './migrations/0018-webhook-lease.sql' with { type: 'text' };
import largestCategories from './migrations/0019-largest-categories.sql' with { type: 'text' };
import namesWithoutAccents from './migrations/0020-names-without-accents.sql' with { type: 'text' };
import profiles from './migrations/0021-profiles.sql' with { type: 'text' };
import work from './migrations/0022-work.sql' with { type: 'text' };
import adoptionPages from './migrations/0023-adoption-pages.sql' with { type: 'text' };
import audit from './migrations/0024-audit.sql' with { type: 'text' };
import people from './migrations/0025-people.sql' with { type: 'text' };
import webhookOwners from './migrations/0026-webhook-owners.sql' with { type: 'text' };
import retention from './migrations/0027-retention.sql' with { type: 'text' };
import guards from './migrations/0028-guards.sql' with { type: 'text' };
import stays from './migrations/0029-stays.sql' with { type: 'text' };
import tasks from './migrations/0030-tasks.sql' with { type: 'text' };
import orderSteps from './migrations/0031-order-steps.sql' with { type: 'text' };
import importMemory from './migrations/0032-import-memory.sql' with { type: 'text' };
import found from './migrations/0033-found.sql' with { type: 'text' };
import families from './migrations/0034-families.sql' with { type: 'text' };
import channels from './migrations/0035-channels.sql' with { type: 'text' };
import channelPhotos from './migrations/0036-channel-photos.sql' with { type: 'text' };
import staff from './migrations/0037-staff.sql' with { type: 'text' };

/** The schema, step by step. New steps go at the end; a step that has shipped never changes. */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'initial', sql: initial },
  { version: 2, name: 'allowances', sql: allowances },
  { version: 3, name: 'orders', sql: orders },
  { version: 4, name: 'pet-names', sql: petNames },
  { version: 5, name: 'merged-names', sql: mergedNames },
  { version: 6, name: 'first-status', sql: firstStatus },
  { version: 7, name: 'merged-names-evenly', sql: mergedEvenly },
  { version: 8, name: 'order-contacts', sql: orderContacts },
  { version: 9, name: 'imported-rows', sql: importedRows },
  { version: 10, name: 'key-families', sql: keyFamilies },
  { version: 11, name: 'changes', sql: changes },
  { version: 12, name: 'usage', sql: usage },
  { version: 13, name: 'webhooks', sql: webhooks },
  { version: 14, name: 'imports', sql: imports },
  { version: 15, name: 'counts', sql: counts },
  { version: 16, name: 'sessions', sql: sessions },
  { version: 17, name: 'shared-from', sql: sharedFrom },
  { version: 18, name: 'webhook-lease', sql: webhookLease },
  { version: 19, name: 'largest-categories', sql: largestCategories, shared: true },
  { version: 20, name: 'names-without-accents', sql: namesWithoutAccents },
  { version: 21, name: 'profiles', sql: profiles },
  { version: 22, name: 'work', sql: work, shared: true },
  { version: 23, name: 'adoption-pages', sql: adoptionPages },
  { version: 24, name: 'audit', sql: audit },
  { version: 25, name: 'people', sql: people },
  { version: 26, name: 'webhook-owners', sql: webhookOwners },
  { version: 27, name: 'retention', sql: retention, shared: true },
  { version: 28, name: 'guards', sql: guards, shared: true },
  { version: 29, name: 'stays', sql: stays },
  { version: 30, name: 'tasks', sql: tasks, shared: true },
  { version: 31, name: 'order-steps', sql: orderSteps, shared: true },
  { version: 32, name: 'import-memory', sql: importMemory, shared: true },
  { version: 33, name: 'found', sql: found },
  { version: 34, name: 'families', sql: families },
  { version: 35, name: 'channels', sql: channels, shared: true },
  { version: 36, name: 'channel-photos', sql: channelPhotos, shared: true },
  { version: 37, name: 'staff', sql: staff, shared: true },
];
