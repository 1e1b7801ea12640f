import type { CountBannedLookup } from '../../api/pipeline/rate-limit.ts';
import { MINUTE_MS } from '../../domain/clock.ts';
import type { ImportQueue } from '../../domain/import.ts';
import type { Storage } from '../../domain/storage.ts';
import type { DatabaseAddress } from '../../storage/address.ts';
import type { Threads } from '../serving.ts';
import type { MainCalls } from './calls.ts';
import type { Channel } from './channel.ts';

/**
 * What a worker leaves to the main thread: on SQLite all writes, so that those of all workers share
 * their commits, and on any engine what a process bounds or has once.
 */
export function remoteThreads(
  main: Channel<MainCalls>,
  engine: DatabaseAddress['engine'],
): Threads {
  return {
    routeWrites: (here) => (operation, request) =>
      engine === 'sqlite' || operation.oncePerProcess
        ? main.call('write', { operationId: operation.id, request })
        : here(operation, request),
    uploadFiles: {
      open: (sender) => main.call('openUpload', sender),
      free: (sender) => main.tell('freeUpload', sender),
      isContested: () => main.call('isUploadContested', undefined),
      close: (descriptor) => main.tell('closeUpload', descriptor),
    },
    countBannedLookup: countOnMain(main),
    signIns: {
      signIn: (attempt) => main.call('signIn', attempt),
      acceptInvitation: (use) => main.call('acceptInvitation', use),
      changePassword: (change) => main.call('changePassword', change),
    },
    storeUsage: () => main.call('storeUsage', undefined),
  };
}

/** Returns a storage that reads on this thread, and leaves what serving writes to the main thread. */
export function remoteStorage(main: Channel<MainCalls>, storage: Storage): Storage {
  return {
    ...storage,
    keys: { ...storage.keys, recordUse: (lastUsedAt) => main.call('recordUse', lastUsedAt) },
    usage: { ...storage.usage, add: (usage) => main.call('addUsage', usage) },
    enquiries: {
      ...storage.enquiries,
      receive: (enquiry, at) => main.call('receiveEnquiry', { enquiry, at }),
    },
    shop: {
      ...storage.shop,
      formSecret: (candidate) => main.call('formSecret', candidate),
    },
    sessions: {
      ...storage.sessions,
      create: (session, replaces) => main.call('startSession', { session, replaces }),
      remove: (hash) => main.call('endSession', hash),
      recordUse: (lastUsedAt) => main.call('recordSessionUse', lastUsedAt),
    },
  };
}

/** Asks the main thread, until it refuses: then the rest of the minute needs no message. */
function countOnMain(main: Channel<MainCalls>): CountBannedLookup {
  let minute = Number.NaN;
  const refused = new Set<bigint>();

  return async (keyId, at) => {
    const current = Math.floor(at / MINUTE_MS);
    if (current !== minute) {
      minute = current;
      refused.clear();
    }
    if (refused.has(keyId)) return false;
    const isGranted = await main.call('countBannedLookup', { keyId, at });
    if (!isGranted && current === minute) refused.add(keyId);
    return isGranted;
  };
}

/** The main thread has the imports. A worker only gives back the files that it does not forward. */
export function remoteImports(main: Channel<MainCalls>): ImportQueue {
  return {
    owner: '',
    requireRoom: onMainThread,
    start: onMainThread,
    discard: ({ descriptor }) => main.tell('closeUpload', descriptor),
  };
}

function onMainThread(): never {
  throw new Error('imports run on the main thread');
}
