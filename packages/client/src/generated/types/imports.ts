// Made from openapi.json by `npm run openapi`.
/** An import of a file. */
export interface Import extends ImportSummary {
  /** The first 100 rejected rows. */
  rejectedRows: readonly RejectedRow[];
  /** What the columns were taken for. */
  recognised: readonly RecognisedColumn[];
  /** Tells its columns from those of other files. */
  header?: string | undefined;
  /** The parameters that it was started with, as a query. */
  choices: string;
  /** Values of imported rows that fit nothing in profile or stay. They reject no row. */
  unread: readonly UnreadValues[];
}

/** The photos that a file names. */
export interface ImportedPhotos {
  /** Photos that the file names: at most 6 an animal. */
  found: number;
  /** Photos fetched and added. */
  added: number;
  /** Photos that were added before, by an earlier import or by hand. */
  known: number;
  /** Photos that could not be fetched, or are not photos. The next import tries again. */
  failed: number;
  /** The first 10 of them. */
  problems: readonly string[];
}

/** Why an import failed. */
export interface ImportFailure {
  /** Machine-readable reason. */
  code:
    | 'invalid_file'
    | 'interrupted'
    | 'key_revoked'
    | 'cancelled'
    | 'service_unavailable'
    | 'internal_error';
  /** Description for people, and what to do. */
  message: string;
}

/** A row of a file that cannot become an animal. */
export interface RejectedRow {
  /** Line it starts on. */
  line: number;
  /** Why it cannot become an animal. Quotes values of the row. */
  reason: string;
}

/** A column of a file, and what it was taken for. */
export interface RecognisedColumn {
  /** What it was taken for: a parameter, or a part of a stay. */
  part: string;
  /** Its header. */
  column: string;
}

/** Values for a profile or a stay that fit nothing, so that it stayed as it was. */
export interface UnreadValues {
  /** Parameter of its column. */
  part:
    | 'age'
    | 'ageAt'
    | 'species'
    | 'breed'
    | 'secondBreed'
    | 'mixed'
    | 'sex'
    | 'birthDate'
    | 'birthDatePrecision'
    | 'ageGroup'
    | 'size'
    | 'weightGrams'
    | 'coat'
    | 'colours'
    | 'headline'
    | 'description'
    | 'goodWithDogs'
    | 'goodWithCats'
    | 'goodWithChildren'
    | 'houseTrained'
    | 'neutered'
    | 'vaccinated'
    | 'specialNeeds'
    | 'specialNeedsNote'
    | 'energy'
    | 'fee'
    | 'inCareSince'
    | 'videoUrl'
    | 'published'
    | 'microchip'
    | 'care'
    | 'careUntil'
    | 'location'
    | 'medicalNotes'
    | 'behaviourNotes'
    | 'intakeDate'
    | 'intakeType'
    | 'outcomeDate'
    | 'outcomeType';
  /** Rows with such values. */
  rows: number;
  /** The first of these values. */
  example: string;
  /** The first three of them that differ. */
  examples: readonly string[];
  /** Why it was not read, where more is known. */
  reason?: string | undefined;
}

/** An import of a file, without its rejected rows. */
export interface ImportSummary {
  /** Unique identifier assigned by the service. */
  id: number;
  /**
   * `queued`: waits for its turn. `reading`: the file is checked, nothing is written yet.
   * `running`: animals are written. `completed` and `failed` are final.
   */
  status: 'queued' | 'reading' | 'running' | 'completed' | 'failed';
  /** Nothing is written: the counts say what would be. */
  dryRun: boolean;
  /** Id of the API key that started it. */
  keyId: number;
  /** When it was started, in UTC. */
  createdAt: string;
  /** When it ended, in UTC. */
  endedAt?: string | undefined;
  /** Rows read: while `reading` of the first pass, then again from 0. */
  read: number;
  /** All rows of the file. Absent until it has been read. */
  total?: number | undefined;
  /** Animals added. */
  created: number;
  /** Animals changed. */
  changed: number;
  /** Animals that match their row, or whose row is the same as in the last import. */
  unchanged: number;
  /** Animals left as they are, because an open adoption holds them. */
  held: number;
  /** Rows that the status map leaves out. */
  skipped: number;
  /** Rows that do not count, because a later one has the same external id. */
  repeated: number;
  /** Rows that cannot become animals. */
  rejected: number;
  /** Animals here that the file says have left: they are sold and unpublished. */
  left: number;
  /** Animals left out, because they had left before they ever came here. */
  leftBefore: number;
  /** Animals of earlier imports that are present here and missing from the file. */
  missing: number;
  /** Nothing was done about missing animals: too many, or the file is empty. */
  missingHeld: boolean;
  photos: ImportedPhotos;
  failure?: ImportFailure | undefined;
}

/** Parameters of the call. */
export interface StartImportQuery {
  /** Write nothing: the counts say what would happen. */
  dryRun?: boolean | undefined;
  /** Let the file win over changes and removals since the last import. */
  overwrite?: boolean | undefined;
  /** Publish the animals. Otherwise none is published or unpublished. */
  publish?: boolean | undefined;
  /** Read profiles from the columns that are named here alone, not from known headers. */
  onlyNamed?: boolean | undefined;
  /**
   * Fetch photos by their addresses, at most 6 an animal and none twice, before the import ends.
   */
  photos?: boolean | undefined;
  /** Column with the names. By default the one that is recognised. */
  name?: string | undefined;
  /** Column with names of categories. New categories are created. */
  category?: string | undefined;
  /** Column with ids of categories, in place of `category`. By default `categoryId`. */
  categoryId?: string | undefined;
  /** The category of all animals, for a file of one kind, in place of a column. */
  categoryIs?: string | undefined;
  /** What the values of the category become, for example `Hund=Dog,Katze=Cat`. Others stay. */
  categoryMap?: string | undefined;
  /** The unit of weights that have none. */
  weightUnit?: 'g' | 'kg' | 'oz' | 'lb' | undefined;
  /** Add animals too that had left before they ever came here. */
  withHistory?: boolean | undefined;
  /**
   * What becomes of animals of earlier imports that are present here and missing from the file.
   * `leave` ends their stay and unpublishes them.
   */
  missing?: 'keep' | 'unpublish' | 'leave' | undefined;
  /** Nothing is done when more of the present animals are missing, in percent. */
  missingMost?: number | undefined;
  /** The encoding of the text, as the WHATWG standard names it. By default it is found out. */
  encoding?: string | undefined;
  /** Column with the status. By default the one that is recognised. */
  status?: string | undefined;
  /**
   * What the values of the status become, for example `Adoption=sold,Died=skip,*=available`.
   * `skip` leaves a row out, `*` matches all other values. A value with a comma is quoted. Without
   * it, the words of other systems are read; empty means available.
   */
  statusMap?: string | undefined;
  /** Column with the ids of your own system, to import the file again. */
  externalId?: string | undefined;
  /** Name for animals without one, with columns in braces. Else their rows are rejected. */
  unnamed?: string | undefined;
  /** Column. */
  species?: string | undefined;
  /** Column. "Labrador Mix" and "Labrador/Poodle" say more than the breed. */
  breed?: string | undefined;
  /** Column. */
  secondBreed?: string | undefined;
  /** Column. */
  mixed?: string | undefined;
  /** Column. "Neutered Male" says more than the sex. */
  sex?: string | undefined;
  /** Column. ISO 8601, or another form that all values of the column fit. */
  birthDate?: string | undefined;
  /** Column. */
  birthDatePrecision?: string | undefined;
  /** Column. */
  ageGroup?: string | undefined;
  /** Column. */
  size?: string | undefined;
  /** Column. Or a weight with its unit. */
  weightGrams?: string | undefined;
  /** Column. */
  coat?: string | undefined;
  /** Column. Such as "Brown/White". */
  colours?: string | undefined;
  /** Column. */
  headline?: string | undefined;
  /** Column. */
  description?: string | undefined;
  /** Column. */
  goodWithDogs?: string | undefined;
  /** Column. */
  goodWithCats?: string | undefined;
  /** Column. */
  goodWithChildren?: string | undefined;
  /** Column. */
  houseTrained?: string | undefined;
  /** Column. */
  neutered?: string | undefined;
  /** Column. */
  vaccinated?: string | undefined;
  /** Column. */
  specialNeeds?: string | undefined;
  /** Column. */
  specialNeedsNote?: string | undefined;
  /** Column. */
  energy?: string | undefined;
  /** Column. Such as "75 USD". */
  fee?: string | undefined;
  /** Column. A date, as the birth date. */
  inCareSince?: string | undefined;
  /** Column. */
  videoUrl?: string | undefined;
  /** Column. It counts only if the animals are published. */
  published?: string | undefined;
  /** Column. */
  microchip?: string | undefined;
  /** Column. */
  care?: string | undefined;
  /** Column. */
  careUntil?: string | undefined;
  /** Column. */
  location?: string | undefined;
  /** Column. */
  medicalNotes?: string | undefined;
  /** Column. */
  behaviourNotes?: string | undefined;
  /** Column. Such as "2 years", in place of a birth date. */
  age?: string | undefined;
  /** Column. The day of the age. Without it only the age group is taken. */
  ageAt?: string | undefined;
  /** Column with the day on which the animal came. */
  intakeDate?: string | undefined;
  /** Column with how it came, such as stray or surrender. */
  intakeType?: string | undefined;
  /** Column with the day on which it left. */
  outcomeDate?: string | undefined;
  /** Column with how it left, such as adopted or died; it decides the status. */
  outcomeType?: string | undefined;
}

/** What to list. */
export interface ListImportsQuery {
  /** Only imports of files with the columns of another one, by its `header`. No dry runs. */
  header?: string | undefined;
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /** By ascending `id`, the default, or `newest` first. */
  sort?: 'id' | 'newest' | undefined;
}
