import type { ChangeStamp } from './change-stamp.ts';
import { DAY_MS, SECOND_MS } from './clock.ts';
import type { PhotoCounts } from './imported-photos.ts';
import type { Page, PageRequest } from './page.ts';
import type { BatchOptions, ImportedPet, ImportOutcome } from './pet.ts';
import { PROFILE_FIELD_NAMES } from './profile.ts';

/** The states of an import, in their order. The last two are final. */
export const IMPORT_STATUSES = ['queued', 'reading', 'running', 'completed', 'failed'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** Why an import failed. */
export const IMPORT_FAILURE_CODES = [
  'invalid_file',
  'interrupted',
  'key_revoked',
  'cancelled',
  'service_unavailable',
  'internal_error',
] as const;

/** Why an import failed, for people and programs. */
export interface ImportFailureReason {
  readonly code: (typeof IMPORT_FAILURE_CODES)[number];
  readonly message: string;
}

/** A row that cannot become an animal. */
export interface RejectedRow {
  /** The line it starts on, counted from 1. */
  readonly line: number;
  readonly reason: string;
}

/** The most rejected rows that are stored with an import. */
export const REJECTED_ROWS_MAX = 100;
/** The most code points of a stored reason. Reasons quote values, which can be as long as a row. */
export const REASON_MAX = 300;

/** Counts of the animals of an import, also in a dry run. */
export interface AnimalCounts {
  readonly created: number;
  readonly changed: number;
  /** Animals that match their row, or whose row is the same as in the last import. */
  readonly unchanged: number;
  /** Not changed, because an open order holds them. */
  readonly held: number;
}

/** Returns the counts after one more batch. */
export function countsAfter(counts: AnimalCounts, outcome: ImportOutcome): AnimalCounts {
  return {
    created: counts.created + outcome.created,
    changed: counts.changed + outcome.changes.length,
    unchanged: counts.unchanged + outcome.unchanged + outcome.kept + outcome.removed,
    held: counts.held + outcome.held.length,
  };
}

/** Counts of the rows of an import. */
interface RowCounts {
  /** Rows read. The file is read twice, so it starts again at 0 with the status `running`. */
  readonly read: number;
  /** All rows; null until they are counted. */
  readonly total: number | null;
  /** Left out by the status map. */
  readonly skipped: number;
  /** Ignored because a later row has the same external id. */
  readonly repeated: number;
  readonly rejected: number;
  /** Values of the imported rows that could not be read. */
  readonly unread?: readonly UnreadValues[];
  /** How each column was recognised. */
  readonly recognised?: readonly RecognisedColumn[];
  /** Animals that are here and have left according to the file. */
  readonly left?: number;
  /** Animals left out because they had left before their first import. */
  readonly leftBefore?: number;
  /** Animals of earlier imports that are present here and missing from the file. */
  readonly missing?: number;
  /** Nothing was done about them, because they are too many or the file is empty. */
  readonly missingHeld?: boolean;
  readonly photos?: PhotoCounts;
}

/** A column of a file, and the part that it was recognised as. */
export interface RecognisedColumn {
  readonly part: string;
  readonly column: string;
}

/** Values of a part of profiles or stays that could not be read; the part stays as it was. */
export interface UnreadValues {
  readonly part: ProfilePart | StayPart;
  readonly rows: number;
  /** The first of them, at most `UNREAD_MAX` code points. */
  readonly example: string;
  /** The first three that differ. */
  readonly examples?: readonly string[];
  /** Why they could not be read, unless they are simply not understood. */
  readonly reason?: string | undefined;
}

export const UNREAD_MAX = 100;

/** An import that a request started. */
export interface ImportRecord {
  /** Assigned by the storage: starts at 1, only grows, is never reused. */
  readonly id: bigint;
  /** The key that started it, to which the changes are attributed. */
  readonly keyId: bigint;
  readonly dryRun: boolean;
  readonly status: ImportStatus;
  /** Milliseconds since the Unix epoch, as all times here. */
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly rows: RowCounts;
  readonly animals: AnimalCounts;
  /** The first rejected rows. */
  readonly rejectedRows: readonly RejectedRow[];
  /** Present if the status is `failed`. */
  readonly failure: ImportFailureReason | null;
  /** Identifies the columns of its file; null until they are read. */
  readonly header: string | null;
  /** The parameters that it was started with, as a query. */
  readonly choices: string;
}

/** An import to create. */
export interface NewImport
  extends Pick<ImportRecord, 'keyId' | 'dryRun' | 'createdAt' | 'choices'> {
  /** The process that carries it out: a random text. */
  readonly owner: string;
  readonly leaseEndsAt: number;
}

/** The right of a process to carry out an import, until the lease ends. */
export interface ImportClaim {
  readonly id: bigint;
  readonly owner: string;
  readonly leaseEndsAt: number;
}

/** The state of an import, apart from its counts of animals. */
export type ImportState = Pick<
  ImportRecord,
  'status' | 'endedAt' | 'rows' | 'rejectedRows' | 'failure' | 'header'
>;

/** A batch of an import. */
export interface ImportStep extends ImportClaim {
  /** 1 for the first batch. A step that was committed before is not repeated. */
  readonly number: number;
  readonly rows: RowCounts;
  readonly batch: readonly ImportedPet[];
  readonly stamp: ChangeStamp;
  readonly options: BatchOptions;
}

/** How long a lease lasts. A process that stops renewing it was killed, or cut off from the database. */
export const IMPORT_LEASE_MS = 30 * SECOND_MS;
/** The newest import of a header is kept for this long, for the choices that were made for it. */
export const CHOICES_KEPT_MS = 400 * DAY_MS;
/** Imports are kept for this long after their end. */
export const IMPORTS_KEPT_MS = 30 * DAY_MS;
/**
 * Rows are remembered for this long after their animal was removed, or after the last import that contained them since.
 * Longer than a quarter, because a forgotten row adds its animal again.
 */
export const ROWS_KEPT_MS = 100 * DAY_MS;

/** The storage contract of imports. */
export interface ImportStorage {
  create(added: NewImport): Promise<ImportRecord>;
  find(id: bigint): Promise<ImportRecord | undefined>;
  /** Returns a page in ascending order of id: of all imports, or of those with this header that were no dry run. */
  list(page: PageRequest, header?: string): Promise<Page<ImportRecord>>;
  /** Saves a state and the lease. Returns false, and changes nothing, if the claim is not valid. */
  save(claim: ImportClaim, state: ImportState): Promise<boolean>;
  /**
   * Imports a batch as `PetStorage.importBatch` does, with the new counts in the same transaction.
   * Returns the ids of its animals, none for a step that was committed before. If the claim is not valid, changes
   * nothing and returns undefined.
   */
  importBatch(step: ImportStep): Promise<ImportOutcome['ids'] | undefined>;
  /** Returns marks of the photos that imports took for these animals, by external id. */
  knownPhotos(externalIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
  /** Notes that an import took a photo: 16 hexadecimal digits of the hash of what named it. */
  notePhoto(externalId: string, mark: string): Promise<void>;
  /** Ends an import that has not ended yet. Returns whether it did. */
  cancel(id: bigint, at: number): Promise<boolean>;
  /** Extends the lease of every import of this process. */
  renew(owner: string, leaseEndsAt: number): Promise<void>;
  /** Ends the imports whose lease ended at or before `at` as failed. Returns their number. */
  failAbandoned(at: number): Promise<number>;
  /** Notes in the audit how an import by a command ended. The id is negative, as in the stamps of its animals. */
  noteCommand(
    id: bigint,
    ended: Partial<AnimalCounts> & { readonly status: string; readonly rejected: number },
    at: number,
  ): Promise<void>;
  /**
   * Removes imports that ended at or before `time`, except the newest of each header; at most `most`. Returns the number
   * removed.
   */
  removeExpired(time: number, most: number): Promise<number>;
  /**
   * Forgets rows whose animal was removed at or before `time`, and that no import has contained since; at most `most`.
   * The next import of such a row adds the animal again. Returns the number of rows handled: fewer than `most` at the
   * end.
   */
  forgetRows(time: number, most: number): Promise<number>;
}

/** The reason of an import whose process stopped. */
export const INTERRUPTED: ImportFailureReason = {
  code: 'interrupted',
  message:
    'The service stopped during this import. The animals that are counted here are stored, the other rows are not. Import the file again: rows with an external id that are stored already change nothing.',
};

/** The reason of an import that somebody cancelled. */
export const CANCELLED: ImportFailureReason = {
  code: 'cancelled',
  message:
    'Somebody cancelled this import. The animals that are counted here are stored, the other rows are not.',
};

/** Counts of an import that has not started. */
export const NO_ROWS: RowCounts = { read: 0, total: null, skipped: 0, repeated: 0, rejected: 0 };
/** Counts of an import that has not written anything. */
export const NO_ANIMALS: AnimalCounts = { created: 0, changed: 0, unchanged: 0, held: 0 };

/**
 * The parts of a profile for which a mapping names columns: its fields, the age in place of a birth date,
 * and the day on which the animal had that age.
 */
export const PROFILE_PARTS = [...PROFILE_FIELD_NAMES, 'age', 'ageAt'] as const;
export type ProfilePart = (typeof PROFILE_PARTS)[number];

/** The columns of a profile. */
type ProfileMapping = { readonly [Part in ProfilePart]?: string | undefined };

/** The parts of a stay for which a mapping names columns. */
export const STAY_PARTS = ['intakeDate', 'intakeType', 'outcomeDate', 'outcomeType'] as const;
export type StayPart = (typeof STAY_PARTS)[number];

/** How rows become animals, as given in a request: names of columns, and texts to parse. */
export interface RequestedMapping
  extends ProfileMapping,
    Readonly<Partial<Record<StayPart, string | undefined>>> {
  readonly name?: string | undefined;
  readonly category?: string | undefined;
  readonly categoryId?: string | undefined;
  readonly status?: string | undefined;
  readonly statusMap?: string | undefined;
  readonly externalId?: string | undefined;
  readonly unnamed?: string | undefined;
  /** The category of all animals of the file, in place of a column. */
  readonly categoryIs?: string | undefined;
  /** What the values of the category column become, in the form of `statusMap`. */
  readonly categoryMap?: string | undefined;
  /** The unit of weights without a unit. */
  readonly weightUnit?: string | undefined;
}

/** What happens to animals of earlier imports that are missing from a file. */
export const MISSING_CHOICES = ['keep', 'unpublish', 'leave'] as const;
/** If more than this percentage of the present animals is missing, nothing is done. */
export const MISSING_MOST = 20;

/** What to do besides reading the rows. */
export interface ImportPolicy {
  /** Also adds animals that had left before their first import. */
  readonly withHistory: boolean;
  readonly missing: (typeof MISSING_CHOICES)[number];
  /** In percent. */
  readonly missingMost: number;
}
