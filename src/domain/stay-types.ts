/** How an animal came. */
export const INTAKE_TYPES = [
  'stray',
  'owner',
  'transfer',
  'seized',
  'born',
  'return',
  'other',
] as const;
/** How an animal left. */
export const OUTCOME_TYPES = [
  'adopted',
  'to_owner',
  'transferred',
  'to_field',
  'died',
  'euthanized',
  'lost',
  'other',
] as const;
export type IntakeType = (typeof INTAKE_TYPES)[number];
export type OutcomeType = (typeof OUTCOME_TYPES)[number];
/** How an animal left. Without a date, on the day of the import. */
export interface ImportedOutcome {
  readonly type: OutcomeType;
  readonly date: string | undefined;
}

/** A stay in a file. */
export interface ImportedStay {
  readonly intakeDate: string;
  readonly intakeType: IntakeType | null;
  readonly outcomeDate: string | null;
  readonly outcomeType: OutcomeType | null;
  readonly note: string | null;
}
