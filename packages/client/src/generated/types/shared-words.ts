// Made from openapi.json by `npm run openapi`.
/** Availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

/**
 * The progress of an adoption: `placed`, then `approved`, then `completed`. A placed or approved
 * order can become `cancelled`.
 */
export type OrderStatus = 'placed' | 'approved' | 'completed' | 'cancelled';

/**
 * How it is answered: a line, several lines, `yes` or `no`, one of the `options`, or a number.
 */
export type QuestionKind = 'text' | 'paragraph' | 'yes_no' | 'choice' | 'number';

/** What happened: an event, or a change that only the audit shows. */
export type AuditType =
  | 'pet.created'
  | 'pet.updated'
  | 'pet.deleted'
  | 'pet.restored'
  | 'category.created'
  | 'category.updated'
  | 'category.deleted'
  | 'order.placed'
  | 'order.updated'
  | 'profile.updated'
  | 'photo.added'
  | 'photo.updated'
  | 'photo.removed'
  | 'stay.started'
  | 'stay.ended'
  | 'shop.updated'
  | 'enquiry.received'
  | 'enquiry.updated'
  | 'store.reset'
  | 'key.created'
  | 'key.updated'
  | 'key.rotated'
  | 'key.unbanned'
  | 'key.revoked'
  | 'person.created'
  | 'person.updated'
  | 'person.invited'
  | 'person.removed'
  | 'webhook.created'
  | 'webhook.updated'
  | 'webhook.rotated'
  | 'webhook.deleted'
  | 'channel.created'
  | 'channel.updated'
  | 'channel.deleted'
  | 'import.ended'
  | 'stay.updated';

/** The values of `species`. */
export type Species =
  | 'dog'
  | 'cat'
  | 'rabbit'
  | 'small_mammal'
  | 'bird'
  | 'horse'
  | 'farm'
  | 'reptile'
  | 'fish'
  | 'other';

/** The values of `care`. */
export type Care = 'shelter' | 'foster' | 'quarantine' | 'medical' | 'hold';

/** The values of `separator`. */
export type Separator = 'comma' | 'semicolon' | 'tab';

/** The values of `sex`. */
export type Sex = 'female' | 'male';

/** The values of `ageGroup`. */
export type AgeGroup = 'baby' | 'young' | 'adult' | 'senior';

/** The values of `size`. */
export type Size = 'small' | 'medium' | 'large' | 'xlarge';

/** The values of `intakeType`. */
export type IntakeType = 'stray' | 'owner' | 'transfer' | 'seized' | 'born' | 'return' | 'other';

/** The values of `outcomeType`. */
export type OutcomeType =
  | 'adopted'
  | 'to_owner'
  | 'transferred'
  | 'to_field'
  | 'died'
  | 'euthanized'
  | 'lost'
  | 'other';

/** The values of `birthDatePrecision`. */
export type BirthDatePrecision = 'day' | 'month' | 'year';

/** The values of `coat`. */
export type Coat = 'hairless' | 'short' | 'medium' | 'long' | 'wire' | 'curly';

/** The values of `goodWithChildren`. */
export type GoodWithChildren = 'yes' | 'over_5' | 'over_12' | 'no';

/** The values of `energy`. */
export type Energy = 'low' | 'medium' | 'high';

/** The values of `kind`. */
export type Kind = 'petfinder' | 'adoptapet' | 'rescuegroups' | 'csv';

/** The values of `scopes`. */
export type Scope = 'read' | 'adopt' | 'write' | 'webhooks' | 'admin';
