import type { ChangeStamp } from './change-stamp.ts';
import { DAY_MS, SECOND_MS } from './clock.ts';
import { Failure } from './failure.ts';
import type { Page, PageRequest } from './page.ts';

/** The services that take files of animals; `csv` is for any other. */
export const CHANNEL_KINDS = ['petfinder', 'adoptapet', 'rescuegroups', 'csv'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export const CHANNELS_MAX = 200;
export const CHANNEL_ADDRESS_MAX = 1_000;
export const ACCOUNT_ID_MAX = 50;
export const PASSWORD_MAX = 500;
export const PRIVATE_KEY_MAX = 10_000;
export const EVERY_MIN_MS = SECOND_MS;
export const EVERY_MAX_MS = 365 * DAY_MS;
export const EVERY_DEFAULT_MS = DAY_MS;
/** The number of sendings kept for each channel. */
export const SENDINGS_KEPT = 100;
/** A file that lost more than this share of the animals of the last one is held back. */
const SHRUNK_BY = 0.3;

export const CHANNEL_STATUSES = ['enabled', 'disabled'] as const;

/**
 * Why a channel is disabled: somebody asked for it, the place refuses the sign-in or has another host key, or the
 * database is a copy of another one.
 */
export const CHANNEL_DISABLED_REASONS = ['requested', 'sign_in', 'host_key', 'copied'] as const;
export type ChannelDisabledReason = (typeof CHANNEL_DISABLED_REASONS)[number];

export const SENDING_OUTCOMES = ['pending', 'sent', 'failed', 'held'] as const;
export type SendingOutcome = (typeof SENDING_OUTCOMES)[number];

/** How a channel gets photos: as URLs of this service, or uploaded beside the file. */
export const CHANNEL_PHOTOS = ['addresses', 'uploads'] as const;
export type ChannelPhotos = (typeof CHANNEL_PHOTOS)[number];

/** Why an animal that the public sees is not in a file. */
export const LEFT_OUT_REASONS = ['species', 'breed', 'reserved', 'sex'] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** An animal that is not in a file, and why. */
export interface LeftOut {
  readonly petId: bigint;
  readonly reason: LeftOutReason;
}

/** The most animals of a sending that are named as left out. All are counted. */
export const LEFT_OUT_MAX = 100;

/** The members of a channel that a change may set. */
export interface ChannelSettings {
  /** A folder: `ftps://USER@HOST/PATH`. */
  readonly address: string;
  readonly accountId: string | null;
  readonly photosAs: ChannelPhotos;
  /** The password or private key, encrypted; null without any. */
  readonly secret: string | null;
  /** `SHA256:…` of the key of an SFTP server; null until the first connection. */
  readonly hostKey: string | null;
  readonly everyMs: number;
  readonly disabledReason: ChannelDisabledReason | null;
  /** When a file is due; milliseconds since the Unix epoch, as all times here. */
  readonly nextAt: number;
}

/** A place that takes files of animals, and how it went last. */
export interface Channel extends ChannelSettings {
  readonly id: bigint;
  readonly kind: ChannelKind;
  readonly createdAt: number;
  /** The animals of the file that was sent last; null before the first. */
  readonly sentRows: number | null;
  readonly sentAt: number | null;
  /** Attempts that failed, or were held back, since the last success. */
  readonly failures: number;
  /** Why the last attempt failed or was held back; null after a success. */
  readonly problem: string | null;
  /** Whether staff got a mail about that problem. */
  readonly toldAt: number | null;
}

export type NewChannel = Pick<
  Channel,
  'kind' | 'address' | 'accountId' | 'photosAs' | 'everyMs' | 'nextAt' | 'createdAt'
> & { readonly hostKey?: string | null };

/** A file for a channel, sent or not. */
export interface Sending {
  readonly id: bigint;
  readonly channelId: bigint;
  readonly startedAt: number;
  /** Null while it is under way. */
  readonly endedAt: number | null;
  readonly outcome: SendingOutcome;
  /** Animals in the file. */
  readonly rows: number;
  readonly bytes: number;
  /** Photos that were uploaded beside it, and those that the next one has to bring. */
  readonly photosSent: number;
  readonly photosLeft: number;
  /** Animals that are not in it. */
  readonly leftOutCount: number;
  readonly leftOut: readonly LeftOut[];
  readonly problem: string | null;
  /** Whether it is sent although it is empty or has shrunk. */
  readonly anyway: boolean;
}

/** The end of an attempt to send. */
export type SendingEnd = Pick<
  Sending,
  | ('outcome' | 'rows' | 'bytes' | 'photosSent' | 'photosLeft')
  | ('leftOutCount' | 'leftOut' | 'problem')
> & {
  readonly endedAt: number;
  /** When the next file is due. */
  readonly nextAt: number;
  /** Set if no further attempt is to be made. */
  readonly disabledReason?: ChannelDisabledReason | undefined;
};

/** The storage contract of channels and the log of what was sent. */
export interface ChannelStorage {
  find(id: bigint): Promise<Channel | undefined>;
  page(request: PageRequest): Promise<Page<Channel>>;
  /** All of them, at most `CHANNELS_MAX`. */
  all(): Promise<readonly Channel[]>;
  /** `secretFor` returns the secret to store for an id. Throws `conflict` if there are `CHANNELS_MAX`. */
  create(
    channel: NewChannel,
    secretFor: (id: bigint) => string | null,
    stamp?: ChangeStamp,
  ): Promise<Channel>;
  /** Stores what `change` returns for the current channel, in one transaction. */
  update(
    id: bigint,
    change: (current: Channel) => ChannelSettings,
    stamp?: ChangeStamp,
  ): Promise<Channel | undefined>;
  remove(id: bigint, check: (current: Channel) => void, stamp?: ChangeStamp): Promise<boolean>;
  /** Asks for a file to be sent now. Returns the sending, which may be waiting already. */
  request(id: bigint, anyway: boolean, at: number): Promise<Sending | undefined>;
  /** Begins an attempt: of the sending that somebody asked for, or of a new one. */
  begin(id: bigint, at: number): Promise<Sending>;
  end(sending: Sending, end: SendingEnd): Promise<void>;
  /** Remembers the key of a host, unless one is known. */
  rememberHostKey(id: bigint, hostKey: string): Promise<void>;
  /** Notes that staff were told of the problem. */
  told(id: bigint, at: number): Promise<void>;
  /** Returns a page of the sendings of a channel, newest first. */
  sendings(channelId: bigint, request: PageRequest): Promise<Page<Sending>>;
}

/** A photo beside a file: its name at the place, and that of the file of the photo here. */
export interface ChannelPhoto {
  readonly name: string;
  readonly file: string;
}

/** A file as a channel takes it. */
export interface ChannelFile {
  /** Its name in the folder of the channel. */
  readonly name: string;
  readonly text: string;
  /** Animals in it. */
  readonly rows: number;
  readonly leftOut: readonly LeftOut[];
  /** To be uploaded beside it. */
  readonly photos: readonly ChannelPhoto[];
}

/** How a test of a channel went. */
export interface ChannelTest {
  readonly works: boolean;
  readonly problem?: string;
  readonly hostKey?: string;
  readonly file: ChannelFile;
  readonly milliseconds: number;
}

/** What operations need of channels besides their storage. */
export interface ChannelService {
  /** Says why an address must not be used, as the end of a sentence, or undefined. Resolves the name. */
  problemOf(address: string): Promise<string | undefined>;
  /** Whether secrets can be encrypted. */
  readonly canEncrypt: boolean;
  encrypt(secret: string, channelId: bigint): string;
  fileOf(channel: Channel, at: number): Promise<ChannelFile>;
  /** Throws `service_unavailable` while too many are tested. */
  requireTestPlace(): void;
  /** Makes the file and connects, and sends nothing. Throws like `requireTestPlace`. */
  test(channel: Channel, at: number): Promise<ChannelTest>;
  /** When a file is due that is sent at this interval. */
  nextAt(everyMs: number, now: number): number;
  /** Looks for channels that were changed, or are to be sent now. */
  changed(): void;
}

/** Returns why a file must not be sent automatically, as a sentence with both numbers; undefined if it may. */
export function guardProblem(rows: number, sentRows: number | null): string | undefined {
  if (rows === 0 && sentRows === null) return 'The file has no animals, and none was sent before.';
  if (rows === 0) return `The file has 0 animals, and the one sent last had ${sentRows}.`;
  if (sentRows === null || rows >= sentRows * (1 - SHRUNK_BY)) return undefined;
  return `The file has ${rows} animals, and the one sent last had ${sentRows}: over 30 % fewer.`;
}

/** The failure of a channel beyond the limit. */
export function tooManyChannels(): Failure {
  return new Failure(
    'conflict',
    `There are ${CHANNELS_MAX} channels already: delete one that is no longer needed.`,
  );
}
