import type { Migration } from '../migrations.ts';
import initial from './migrations/0001-initial.sql' with { type: 'text' };
import firstStatus from './migrations/0002-first-status.sql' with { type: 'text' };
import orderContacts from './migrations/0003-order-contacts.sql' with { type: 'text' };
import importedRows from './migrations/0004-imported-rows.sql' with { type: 'text' };
import keyFamilies from './migrations/0005-key-families.sql' with { type: 'text' };
import changes from './migrations/0006-changes.sql' with { type: 'text' };
import usage from './migrations/0007-usage.sql' with { type: 'text' };
import webhooks from './migrations/0008-webhooks.sql' with { type: 'text' };
import imports from './migrations/0009-imports.sql' with { type: 'text' };
import counts from './migrations/0010-counts.sql' with { type: 'text' };
import sessions from './migrations/0011-sessions.sql' with { type: 'text' };
import sharedFrom from './migrations/0012-shared-from.sql' with { type: 'text' };
import webhookLease from './migrations/0013-webhook-lease.sql' with { type: 'text' };
import largestCategories from './migrations/0014-largest-categories.sql' with { type: 'text' };
import namesWithoutAccents from './migrations/0015-names-without-accents.sql' with { type: 'text' };
import profiles from './migrations/0016-profiles.sql' with { type: 'text' };
import work from './migrations/0017-work.sql' with { type: 'text' };
import adoptionPages from './migrations/0018-adoption-pages.sql' with { type: 'text' };
import audit from './migrations/0019-audit.sql' with { type: 'text' };
import people from './migrations/0020-people.sql' with { type: 'text' };
import webhookOwners from './migrations/0021-webhook-owners.sql' with { type: 'text' };
import retention from './migrations/0022-retention.sql' with { type: 'text' };
import guards from './migrations/0023-guards.sql' with { type: 'text' };
import stays from './migrations/0024-stays.sql' with { type: 'text' };
import tasks from './migrations/0025-tasks.sql' with { type: 'text' };
import orderSteps from './migrations/0026-order-steps.sql' with { type: 'text' };
import importMemory from './migrations/0027-import-memory.sql' with { type: 'text' };
import found from './migrations/0028-found.sql' with { type: 'text' };
import families from './migrations/0029-families.sql' with { type: 'text' };
import channels from './migrations/0030-channels.sql' with { type: 'text' };
import channelPhotos from './migrations/0031-channel-photos.sql' with { type: 'text' };
import staff from './migrations/0032-staff.sql' with { type: 'text' };

/** The schema, step by step. New steps go at the end; a step that has shipped never changes. */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'initial', sql: initial },
  { version: 2, name: 'first-status', sql: firstStatus },
  { version: 3, name: 'order-contacts', sql: orderContacts },
  { version: 4, name: 'imported-rows', sql: importedRows },
  { version: 5, name: 'key-families', sql: keyFamilies },
  { version: 6, name: 'changes', sql: changes },
  { version: 7, name: 'usage', sql: usage },
  { version: 8, name: 'webhooks', sql: webhooks },
  { version: 9, name: 'imports', sql: imports },
  { version: 10, name: 'counts', sql: counts },
  { version: 11, name: 'sessions', sql: sessions },
  { version: 12, name: 'shared-from', sql: sharedFrom },
  { version: 13, name: 'webhook-lease', sql: webhookLease },
  { version: 14, name: 'largest-categories', sql: largestCategories, shared: true },
  { version: 15, name: 'names-without-accents', sql: namesWithoutAccents },
  { version: 16, name: 'profiles', sql: profiles },
  { version: 17, name: 'work', sql: work, shared: true },
  { version: 18, name: 'adoption-pages', sql: adoptionPages },
  { version: 19, name: 'audit', sql: audit },
  { version: 20, name: 'people', sql: people },
  { version: 21, name: 'webhook-owners', sql: webhookOwners },
  { version: 22, name: 'retention', sql: retention, shared: true },
  { version: 23, name: 'guards', sql: guards, shared: true },
  { version: 24, name: 'stays', sql: stays },
  { version: 25, name: 'tasks', sql: tasks, shared: true },
  { version: 26, name: 'order-steps', sql: orderSteps, shared: true },
  { version: 27, name: 'import-memory', sql: importMemory, shared: true },
  { version: 28, name: 'found', sql: found },
  { version: 29, name: 'families', sql: families },
  { version: 30, name: 'channels', sql: channels, shared: true },
  { version: 31, name: 'channel-photos', sql: channelPhotos, shared: true },
  { version: 32, name: 'staff', sql: staff, shared: true },
];
