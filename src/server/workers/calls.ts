import type { WriteRequest } from '../../api/pipeline/writes.ts';
import type {
  InvitationUse,
  OwnPasswordChange,
  ProvenPerson,
  SignInAttempt,
} from '../../auth/sign-ins.ts';
import type { Allowance } from '../../domain/allowance.ts';
import type { NewEnquiry, Receipt } from '../../domain/enquiry.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import type { NewSession } from '../../domain/session.ts';
import type { Obstacle } from '../../domain/storage.ts';
import type { HourUsage } from '../../domain/usage.ts';
import type { TextResponse } from '../../http/response.ts';
import type { LimitMemory } from '../../limits/local.ts';
import type { Config } from '../../settings/config.ts';
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

/** A write, with the operation by its id. */
export interface ForwardedWrite {
  readonly operationId: string;
  readonly request: WriteRequest;
}

/** A new session, and the hashes of those that it replaces. */
export interface SessionStart {
  readonly session: NewSession;
  readonly replaces: readonly string[];
}

/** An enquiry to store. */
export interface ReceivedEnquiry {
  readonly enquiry: NewEnquiry;
  readonly at: number;
}

/** A lookup by a banned key. */
export interface BannedLookup {
  readonly keyId: bigint;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** What workers call on the main thread. Only plain data crosses, and errors keep their class. */
export interface MainCalls {
  /** Executes an operation on an engine that one thread writes to, or once per process. */
  write(write: ForwardedWrite): MaybePromise<TextResponse>;
  recordUse(lastUsedAt: ReadonlyMap<bigint, number>): MaybePromise<void>;
  addUsage(usage: readonly HourUsage[]): MaybePromise<void>;
  signIn(attempt: SignInAttempt): Promise<ProvenPerson>;
  acceptInvitation(use: InvitationUse): Promise<void>;
  changePassword(change: OwnPasswordChange): Promise<void>;
  startSession(start: SessionStart): MaybePromise<void>;
  endSession(hash: string): MaybePromise<boolean>;
  recordSessionUse(lastUsedAt: ReadonlyMap<string, number>): MaybePromise<void>;
  receiveEnquiry(received: ReceivedEnquiry): MaybePromise<Receipt>;
  formSecret(candidate: string): MaybePromise<string>;
  openUpload(sender: bigint): number;
  freeUpload(sender: bigint): void;
  isUploadContested(value: undefined): boolean;
  closeUpload(descriptor: number): void;
  countBannedLookup(lookup: BannedLookup): MaybePromise<boolean>;
  /** Lets every worker store the usage that it has counted. */
  storeUsage(value: undefined): Promise<void>;
  slotOf(familyId: bigint): MaybePromise<number>;
  reportAllowances(familyIds: readonly bigint[]): MaybePromise<readonly Allowance[]>;
  /** Notes requests of a key for the metric of the busiest keys. */
  noteRequests(noted: readonly [keyId: bigint, requests: number]): void;
  /** Writes whole lines to the log. */
  log(lines: Uint8Array): void;
}

/** What the main thread calls on a worker. */
export interface WorkerCalls {
  /** Starts to serve. */
  serve(order: StartMessage): Promise<void>;
  setObstacle(obstacle: Obstacle | undefined): void;
  renew(certificate: Certificate): Promise<void>;
  announceEnd(value: undefined): Promise<void>;
  /** Finishes the requests in progress and writes back what was counted. */
  end(value: undefined): Promise<void>;
  storeUsage(value: undefined): Promise<void>;
  metrics(value: undefined): Promise<readonly Snapshot[]>;
}
