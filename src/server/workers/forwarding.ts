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
        ? main.call('write', operation.id, request)
        : here(operation, request),
    uploadFiles: {
      open: main.calling('openUpload'),
      free: (sender) => main.tell('freeUpload', sender),
      isContested: main.calling('isUploadContested'),
      close: (descriptor) => main.tell('closeUpload', descriptor),
    },
    countBannedLookup: countOnMain(main),
    signIns: {
      signIn: main.calling('signIn'),
      acceptInvitation: main.calling('acceptInvitation'),
      changePassword: main.calling('changePassword'),
    },
    storeUsage: main.calling('storeUsage'),
  };
}

/** Returns a storage that reads on this thread, and leaves what serving writes to the main thread. */
export function remoteStorage(main: Channel<MainCalls>, storage: Storage): Storage {
  return {
    ...storage,
    keys: { ...storage.keys, recordUse: main.calling('recordUse') },
    usage: { ...storage.usage, add: main.calling('addUsage') },
    enquiries: { ...storage.enquiries, receive: main.calling('receiveEnquiry') },
    shop: { ...storage.shop, formSecret: main.calling('formSecret') },
    sessions: {
      ...storage.sessions,
      create: main.calling('startSession'),
      remove: main.calling('endSession'),
      recordUse: main.calling('recordSessionUse'),
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
    const isGranted = await main.call('countBannedLookup', keyId, at);
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
