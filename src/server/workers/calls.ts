import type { WriteRequest } from '../../api/pipeline/writes.ts';
import type { SignIns } from '../../auth/sign-ins.ts';
import type { Limiter } from '../../domain/allowance.ts';
import type { Obstacle, Storage } from '../../domain/storage.ts';
import type { TextResponse } from '../../http/response.ts';
import type { OwnUploadFiles } from '../../http/upload.ts';
import type { LimitMemory } from '../../limits/local.ts';
import type { SlotAllocator } from '../../limits/slot-allocator.ts';
import type { Config } from '../../settings/config.ts';
import type { BusiestKeys } from '../../telemetry/busiest-keys.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Snapshot } from '../../telemetry/snapshot.ts';
import type { Certificate } from '../certificate.ts';

/** What a worker needs to serve. */
export interface StartMessage {
  /** The number of the worker: its name in the log, and what it holds in shared memory. */
  readonly worker: number;
  /** The settings, with this worker's share of those that bound the process. */
  readonly config: Config;
  /** The port that all workers bind. */
  readonly port: number;
  readonly certificate: Certificate | undefined;
  readonly obstacle: Obstacle | undefined;
  /** The counts of all threads. */
  readonly limits: LimitMemory;
  /** The connections to a database server that a worker may open. */
  readonly connections: number;
}

/**
 * What workers call on the main thread, each call as its own function there. Only plain data crosses, and
 * errors keep their class.
 */
export interface MainCalls extends SignIns, Pick<SlotAllocator, 'slotOf'> {
  /** Executes an operation on an engine that one thread writes to, or once per process. */
  write(operationId: string, request: WriteRequest): Promise<TextResponse>;
  recordUse: Storage['keys']['recordUse'];
  addUsage: Storage['usage']['add'];
  startSession: Storage['sessions']['create'];
  endSession: Storage['sessions']['remove'];
  recordSessionUse: Storage['sessions']['recordUse'];
  receiveEnquiry: Storage['enquiries']['receive'];
  formSecret: Storage['shop']['formSecret'];
  openUpload: OwnUploadFiles['open'];
  freeUpload: OwnUploadFiles['free'];
  isUploadContested: OwnUploadFiles['isContested'];
  closeUpload: OwnUploadFiles['close'];
  /** Lets every worker store the usage that it has counted. */
  storeUsage(): Promise<void>;
  reportAllowances: Limiter['report'];
  /** Notes requests of a key for the metric of the busiest keys. */
  noteRequests: BusiestKeys['note'];
  /** Writes whole lines to the log. */
  log: Log['writeLines'];
}

/** What the main thread calls on a worker. */
export interface WorkerCalls {
  /** Starts to serve. */
  serve(order: StartMessage): Promise<void>;
  setObstacle(obstacle: Obstacle | undefined): void;
  renew(certificate: Certificate): Promise<void>;
  announceEnd(): Promise<void>;
  /** Finishes the requests in progress and writes back what was counted. */
  end(): Promise<void>;
  storeUsage(): Promise<void>;
  metrics(): Promise<readonly Snapshot[]>;
}
