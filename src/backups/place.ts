import type { Environment } from '../domain/deployment.ts';
import type { Identity } from '../storage/identity.ts';
import { TransferFailure } from '../storage/transfer/copy.ts';

/** A backup that the service has made by itself. */
export interface StoredBackup {
  readonly name: string;
  /** When it was started, in milliseconds since the Unix epoch: whole seconds. */
  readonly at: number;
  readonly bytes: number;
}

/** Where backups are kept: a folder or a bucket. Every call throws if the place cannot be used. */
export interface BackupPlace {
  /** The backups of the deployment, oldest first. Files with other names are left out. */
  list(): Promise<readonly StoredBackup[]>;
  /**
   * Stores a backup under this name; `write` writes a checked file at an unused path. `bytes` is its approximate size. The
   * name appears only when the backup is complete. Returns the exact size.
   */
  store(name: string, bytes: number, write: (path: string) => Promise<unknown>): Promise<number>;
  remove(name: string): Promise<void>;
  /** Removes what interrupted backups left behind. None may be under way. */
  clean(): void;
  /** Describes where the mark is that says which database the place belongs to. */
  readonly mark: string;
  /** Returns the text of the mark; undefined if there is none. */
  readMark(): Promise<string | undefined>;
  /** Writes the mark, unless there is one. */
  writeMark(text: string): Promise<void>;
}

/** No backup is smaller. */
const BYTES_MIN = 512;

/** Returns whether a file of this size can be a backup, and not the rest of one after a crash or on a full disk. */
export function canBeBackup(bytes: number): boolean {
  return bytes >= BYTES_MIN;
}

const NAME = /^petstore-(\w+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/;

/** Returns the name of a backup that was started at this time: `petstore-production-20270115T031500Z.backup`. */
export function nameOf(environment: Environment, at: number): string {
  const time = new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${prefixOf(environment)}${time}.backup`;
}

/** The name of the mark of a place: `petstore-production.id`. */
export function markOf(environment: Environment): string {
  return `petstore-${environment}.id`;
}

/** The start of all names of a deployment. */
export function prefixOf(environment: Environment): string {
  return `petstore-${environment}-`;
}

/** Returns when the backup with this name was started; undefined if the name is not one of ours. */
export function timeOf(environment: Environment, name: string): number | undefined {
  const [, found, year, month, day, ...time] = NAME.exec(name) ?? [];
  if (found !== environment) return undefined;
  const at = Date.parse(`${year}-${month}-${day}T${time.join(':')}Z`);
  return Number.isNaN(at) ? undefined : at;
}

/** Puts backups in the order of their times. */
export function inOrder(backups: readonly StoredBackup[]): readonly StoredBackup[] {
  return backups.toSorted((one, other) => one.at - other.at);
}

/** Marks a place as that of a database. Throws `TransferFailure` if it is the place of another one. */
export async function claimPlace(place: BackupPlace, own: Identity): Promise<void> {
  if ((await place.readMark()) === undefined) await place.writeMark(`${own.id}\n${own.name}\n`);
  refuseStranger(place, await place.readMark(), own);
}

/** Throws `TransferFailure` if a mark is that of another database. */
export function refuseStranger(place: BackupPlace, mark: string | undefined, own: Identity): void {
  if (mark === undefined) return;
  const [id, name = 'unknown'] = mark.split('\n');
  if (id === own.id) return;
  throw new TransferFailure(
    `${place.mark} says that the backups there are those of another database, ${name}: give this one, ` +
      `${own.name}, a place of its own; or, if it replaces the other one, remove that file.`,
  );
}
