// Made from openapi.json by `npm run openapi`.
import type { Kind } from './shared-words.ts';

/** A channel to create. */
export interface NewChannel {
  kind: Kind;
  /**
   * The folder that takes the file, like `ftps://USER@HOST/FOLDER`, with `ftps`, `sftp` or `ftp`,
   * and without a password.
   */
  address: string;
  /** The id of the shelter at the place: Petfinder names the file after it. */
  accountId?: string | null | undefined;
  /** The password. It is stored encrypted and never shown. Null removes it. */
  password?: string | null | undefined;
  /**
   * A private key for SFTP, without a passphrase, instead of a password. It is stored encrypted
   * and never shown.
   */
  privateKey?: string | null | undefined;
  /**
   * How the place gets photos: as `addresses` on this service, which must be reachable from
   * outside, or as `uploads` beside the file.
   */
  photosAs?: PhotosAs | undefined;
  /**
   * The fingerprint of the key of an SFTP server, as OpenSSH shows it. It is remembered at the
   * first connection; another one is refused before the password is sent. Null forgets it.
   */
  hostKey?: string | null | undefined;
  /**
   * How often the file is sent: seconds, minutes, hours or days, like `24h`. A day or more means
   * at night.
   */
  every?: string | undefined;
}

/** The changes to make to a channel. */
export interface ChannelChange {
  /**
   * The folder that takes the file, like `ftps://USER@HOST/FOLDER`, with `ftps`, `sftp` or `ftp`,
   * and without a password.
   */
  address?: string | undefined;
  /** The id of the shelter at the place: Petfinder names the file after it. */
  accountId?: string | null | undefined;
  /** The password. It is stored encrypted and never shown. Null removes it. */
  password?: string | null | undefined;
  /**
   * A private key for SFTP, without a passphrase, instead of a password. It is stored encrypted
   * and never shown.
   */
  privateKey?: string | null | undefined;
  /**
   * How the place gets photos: as `addresses` on this service, which must be reachable from
   * outside, or as `uploads` beside the file.
   */
  photosAs?: PhotosAs | undefined;
  /**
   * The fingerprint of the key of an SFTP server, as OpenSSH shows it. It is remembered at the
   * first connection; another one is refused before the password is sent. Null forgets it.
   */
  hostKey?: string | null | undefined;
  /**
   * How often the file is sent: seconds, minutes, hours or days, like `24h`. A day or more means
   * at night.
   */
  every?: string | undefined;
  /** `enabled` starts again after a refused sign-in or a copy. */
  status?: 'enabled' | 'disabled' | undefined;
}

/** A place that gets a file of the listed animals, without its password. */
export interface Channel {
  /** Unique identifier assigned by the service on creation. */
  id: number;
  /** Whose format the file has. */
  kind: Kind;
  /**
   * The folder that takes the file, like `ftps://USER@HOST/FOLDER`, with `ftps`, `sftp` or `ftp`,
   * and without a password.
   */
  address: string;
  /** The id of the shelter at the place: Petfinder names the file after it. */
  accountId: string | null;
  /**
   * How the place gets photos: as `addresses` on this service, which must be reachable from
   * outside, or as `uploads` beside the file.
   */
  photosAs: PhotosAs;
  /** Whether a password or private key is stored. */
  hasSecret: boolean;
  /**
   * The fingerprint of the key of an SFTP server, as OpenSSH shows it. It is remembered at the
   * first connection; another one is refused before the password is sent. Null forgets it.
   */
  hostKey: string | null;
  /**
   * How often the file is sent: seconds, minutes, hours or days, like `24h`. A day or more means
   * at night.
   */
  every: string;
  /** Whether files are sent. */
  status: 'enabled' | 'disabled';
  /**
   * Why it is disabled: a request, a place that refuses user or password (`sign_in`), a server
   * with another key (`host_key`), or a database that was restored or copied (`copied`). Null
   * while it is enabled.
   */
  disabledReason: 'requested' | 'sign_in' | 'host_key' | 'copied' | null;
  /** When the channel was created, in UTC. */
  createdAt: string;
  /** When the next file is due; null while it is disabled, in UTC. */
  nextAt: string | null;
  /** When a file was sent last; null before the first, in UTC. */
  sentAt: string | null;
  /** The animals in that file; null before the first. */
  sentRows: number | null;
  /** Files in a row that failed, or were held back. */
  failures: number;
  /** Why the last file was not sent; null if it was. */
  problem: string | null;
}

/** How a test of a channel went. */
export interface ChannelTest {
  /** Whether the place takes user, password and folder. */
  works: boolean;
  /** Why not. */
  problem?: string | undefined;
  /**
   * The fingerprint of the key of an SFTP server, as OpenSSH shows it. It is remembered at the
   * first connection; another one is refused before the password is sent. Null forgets it.
   */
  hostKey?: string | undefined;
  /** The name of the file in the folder. */
  name: string;
  /** Animals in the file. */
  rows: number;
  /** Listed animals that are not in it. */
  leftOutCount: number;
  /** The first 100 of them, and why. */
  leftOut: readonly LeftOutAnimal[];
  /** How long it took. */
  milliseconds: number;
}

/** A listed animal that is not in a file. */
export interface LeftOutAnimal {
  /** Id of the animal. */
  petId: number;
  /**
   * Why: the place does not take its `species`, needs a `breed` or `sex`, or takes none that are
   * `reserved`.
   */
  reason: 'species' | 'breed' | 'reserved' | 'sex';
}

/** A file for a channel. */
export interface Sending {
  /** Unique identifier assigned by the service. */
  id: number;
  /** When it began, or was asked for, in UTC. */
  startedAt: string;
  /** When it ended; null until then, in UTC. */
  endedAt: string | null;
  /**
   * `sent`; `failed`, and is tried again; `held` back because it is empty or has over 30 % fewer
   * animals than the last one; or `pending`.
   */
  outcome: 'pending' | 'sent' | 'failed' | 'held';
  /** Animals in the file. */
  rows: number;
  /** Its size. */
  bytes: number;
  /** Photos that were uploaded: those that were not there yet. */
  photosSent: number;
  /** Photos that are left for the next file, a minute later. */
  photosLeft: number;
  /** Listed animals that are not in it. */
  leftOutCount: number;
  /** The first 100 of them, and why. */
  leftOut: readonly LeftOutAnimal[];
  /** Why the last file was not sent; null if it was. */
  problem: string | null;
}

/** The file of a channel. */
export interface ChannelFile {
  /** The name of the file in the folder. */
  name: string;
  /** Animals in it. */
  rows: number;
  /** Listed animals that are not in it. */
  leftOutCount: number;
  /** The first 100 of them, and why. */
  leftOut: readonly LeftOutAnimal[];
  /** What is in it. */
  text: string;
}

/** The values of `photosAs`. */
export type PhotosAs = 'addresses' | 'uploads';

/** What to list. */
export interface ListChannelsQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}

/** Parameters of the call. */
export interface SendChannelQuery {
  /** With `true`, also a file that is empty or has shrunk. */
  anyway?: 'true' | 'false' | undefined;
}

/** What to list. */
export interface ListSendingsQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}
