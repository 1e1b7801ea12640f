import type { ChannelKind, LeftOutReason } from '../domain/channel.ts';
import type { Species } from '../domain/profile.ts';

/** What is known of an animal, as plain text; what is not known is absent. See `factsOf`. */
export type FactName =
  | ('id' | 'name' | 'status' | 'species' | 'breed' | 'secondBreed' | 'mixed' | 'sex' | 'age')
  | ('size' | 'coat' | 'colour1' | 'colour2' | 'colour3' | 'headline' | 'description' | 'birthDate')
  | ('inCareSince' | 'neutered' | 'vaccinated' | 'houseTrained' | 'specialNeeds')
  | ('specialNeedsNote' | 'goodWithDogs' | 'goodWithCats' | 'goodWithChildren' | 'energy')
  | ('fee' | 'currency' | 'feeWaived' | 'feeShown' | 'video' | 'youtube' | 'url')
  | `photo${1 | 2 | 3 | 4 | 5 | 6}`;

/** What is known of an animal. */
export type Facts = Partial<Record<FactName, string>>;

type Words = Readonly<Record<string, string>>;

/** A column: its header and what it holds, in the words of the place. What has no word is an empty cell. */
interface FormatColumn {
  readonly header: string;
  readonly fact?: FactName;
  readonly words?: Words;
  /** The species that it is filled for. */
  readonly only?: readonly Species[];
}

/** How a place takes files. */
export interface Format {
  /** Where this is known from. */
  readonly source: string;
  /** The name of the file; undefined if it is the id of the account. */
  readonly file?: string;
  readonly columns: readonly FormatColumn[];
  /** Species that the place takes; others are left out. */
  readonly species?: readonly Species[];
  /** Species that need a breed. */
  readonly needsBreed?: readonly Species[];
  readonly needsSex?: boolean;
  /** Whether it takes animals that are reserved. */
  readonly takesReserved: boolean;
  /** What stands for a line break: in a text of HTML its other signs are escaped. */
  readonly lineBreak: ' ' | '&#10;' | '<br>' | '<br />';
  /**
   * Uploaded photos go to this folder beside the file, as `ID-1.jpg`, `ID-2.jpg` and so on. `most` is the limit for one
   * animal; `isNamed` says whether the columns name them.
   */
  readonly photos: { readonly folder: string; readonly most: number; readonly isNamed: boolean };
}

/** Columns by header: a fact, a fact with words for it, and the species it is for; or '' for what is not known here. */
function columns(
  ...groups: readonly Readonly<
    Record<string, FactName | '' | readonly [FactName, Words, (readonly Species[])?]>
  >[]
): FormatColumn[] {
  return groups.flatMap(Object.entries).map(([header, of]) => {
    if (of === '') return { header };
    if (typeof of === 'string') return { header, fact: of };
    const [fact, words, only] = of;
    return { header, fact, words, ...(only && { only }) };
  });
}

const FLAG = { true: '1' };
const ONE_OR_ZERO = { true: '1', false: '0' };
const YES_NO = { true: 'Yes', false: 'No' };
/** Of what is asked as "not good with". Selective animals, and ages of children, have no word. */
const NOT_GOOD = { no: '1', yes: '0' };
const GOOD = { yes: '1', no: '0' };
const GOOD_WORDS = { yes: 'Yes', no: 'No' };
const AGES = { baby: 'Baby', young: 'Young', adult: 'Adult', senior: 'Senior' };
const LETTERS = { small: 'S', medium: 'M', large: 'L', xlarge: 'XL' };
const SIZES = { small: 'Small', medium: 'Medium', large: 'Large', xlarge: 'X-Large' };
const SEX_LETTERS = { female: 'F', male: 'M' };
const COATS = { short: 'Short', medium: 'Medium', long: 'Long' };
const SOME_SPECIES = { dog: 'Dog', cat: 'Cat', rabbit: 'Rabbit', bird: 'Bird', horse: 'Horse' };
const SCALES = 'Scales, Fins & Other';

const DOGS_AND_CATS: readonly Species[] = ['dog', 'cat'];
const SMALL_SPECIES: readonly Species[] = ['cat', 'rabbit', 'small_mammal'];

/** The types of Petfinder, Adopt-a-Pet and RescueGroups. */
const TYPES = {
  petfinder: {
    ...{ ...SOME_SPECIES, small_mammal: 'Small & Furry', farm: 'Barnyard' },
    ...{ reptile: SCALES, fish: SCALES, other: SCALES },
  },
  adoptapet: {
    ...{ ...SOME_SPECIES, small_mammal: 'Small Animal', farm: 'Farm Animal', reptile: 'Reptile' },
  },
  rescuegroups: { ...SOME_SPECIES, reptile: 'Reptile', fish: 'Fish' },
} satisfies Record<string, Partial<Record<Species, string>>>;
const speciesOf = (types: Words) => Object.keys(types) as Species[];

/**
 * The formats. They name the columns of the places in their order, with the words that each takes; the code is our own.
 * `asm3` is Animal Shelter Manager (github.com/sheltermanager/asm3), src/asm3/publishers; `userguide` is
 * userguide.rescuegroups.org.
 */
export const FORMATS: Readonly<Record<ChannelKind, Format>> = {
  petfinder: {
    source:
      'asm3 petfinder.py: the columns that Petfinder prescribes since August 2019; photos of its folder import/photos have no column. userguide, "Limitations in exporting to Petfinder": animals without a sex are ignored, three uploaded photos',
    needsBreed: DOGS_AND_CATS,
    needsSex: true,
    takesReserved: true,
    lineBreak: '&#10;',
    photos: { folder: 'photos', most: 3, isNamed: false },
    columns: columns(
      { ID: 'id', Internal: 'id', AnimalName: 'name', PrimaryBreed: 'breed' },
      { SecondaryBreed: 'secondBreed', Sex: ['sex', SEX_LETTERS] },
      { Size: ['size', LETTERS], Age: ['age', AGES], Desc: 'description' },
      { Type: ['species', TYPES.petfinder] },
      { Status: ['status', { available: 'A', pending: 'H' }] },
      { Shots: ['vaccinated', FLAG], Altered: ['neutered', FLAG] },
      { NoDogs: ['goodWithDogs', NOT_GOOD], NoCats: ['goodWithCats', NOT_GOOD] },
      { NoKids: ['goodWithChildren', NOT_GOOD], Housetrained: ['houseTrained', FLAG] },
      { Declawed: '', specialNeeds: ['specialNeeds', FLAG], Mix: ['mixed', FLAG] },
      { photo1: 'photo1', photo2: 'photo2', photo3: 'photo3' },
      { photo4: 'photo4', photo5: 'photo5', photo6: 'photo6' },
      { arrival_date: 'inCareSince', birth_date: 'birthDate' },
      { primaryColor: 'colour1', secondaryColor: 'colour2', tertiaryColor: 'colour3' },
      {
        coat_length: ['coat', { hairless: 'Hairless', ...COATS, wire: 'Wire', curly: 'Curly' }],
      },
      { adoption_fee: 'fee', display_adoption_fee: ['feeShown', FLAG] },
      { adoption_fee_waived: ['feeWaived', FLAG] },
      { special_needs_notes: 'specialNeedsNote' },
      { no_other: '', no_other_note: '', tags: '' },
    ),
  },
  adoptapet: {
    source:
      'asm3 adoptapet.py, and the files that Adopt-a-Pet gives out: a header, no import.cfg; a size only for dogs and cats, the length of hair only for cats, rabbits and small mammals; photos of its folder photos are found by the id',
    file: 'pets.csv',
    species: speciesOf(TYPES.adoptapet),
    needsBreed: DOGS_AND_CATS,
    takesReserved: false,
    lineBreak: '<br />',
    photos: { folder: 'photos', most: 4, isNamed: false },
    columns: columns(
      { Id: 'id', Animal: ['species', TYPES.adoptapet] },
      { Breed: 'breed', Breed2: 'secondBreed' },
      { Purebred: ['mixed', { true: '0', false: '1' }], Age: ['age', AGES] },
      { Name: 'name', Size: ['size', LETTERS, DOGS_AND_CATS] },
      { Sex: ['sex', SEX_LETTERS], Color: 'colour1', Description: 'description' },
      { Status: ['status', { available: 'Available' }] },
      { GoodWKids: ['goodWithChildren', GOOD], GoodWCats: ['goodWithCats', GOOD] },
      { GoodWDogs: ['goodWithDogs', GOOD], SpayedNeutered: ['neutered', ONE_OR_ZERO] },
      { ShotsCurrent: ['vaccinated', ONE_OR_ZERO] },
      { Housetrained: ['houseTrained', ONE_OR_ZERO], Declawed: '' },
      { SpecialNeeds: ['specialNeeds', ONE_OR_ZERO] },
      { HairLength: ['coat', { hairless: 'Hairless', ...COATS }, SMALL_SPECIES] },
      { YouTubeVideoURL: 'youtube', Photo1: 'photo1', Photo2: 'photo2' },
      { Photo3: 'photo3', Photo4: 'photo4' },
    ),
  },
  rescuegroups: {
    source:
      'userguide, "Supported animal import fields": a photo is an address or the name of a file in import/pictures; "Uploading data to your FTP account". A row that is missing removes its animal there',
    file: 'pets.csv',
    species: speciesOf(TYPES.rescuegroups),
    // "Required unless species is Dog".
    needsBreed: speciesOf(TYPES.rescuegroups).filter((species) => species !== 'dog'),
    takesReserved: false,
    lineBreak: '<br>',
    photos: { folder: 'pictures', most: 4, isNamed: true },
    columns: columns(
      { externalID: 'id', status: ['status', { available: 'Available' }] },
      { name: 'name', type: ['species', TYPES.rescuegroups] },
      { priBreed: 'breed', secBreed: 'secondBreed', mix: ['mixed', YES_NO] },
      { sex: ['sex', { female: 'Female', male: 'Male' }], age: ['age', AGES] },
      { okwithdogs: ['goodWithDogs', GOOD_WORDS] },
      { okwithcats: ['goodWithCats', GOOD_WORDS] },
      { okwithkids: ['goodWithChildren', GOOD_WORDS] },
      { housebroken: ['houseTrained', YES_NO] },
      { specialNeeds: ['specialNeeds', YES_NO], altered: ['neutered', YES_NO] },
      { size: ['size', SIZES], uptodate: ['vaccinated', YES_NO], color: 'colour1' },
      { coatLength: ['coat', COATS], dsc: 'description', photo1: 'photo1' },
      { photo2: 'photo2', photo3: 'photo3', photo4: 'photo4', videoUrl: 'youtube' },
    ),
  },
  csv: {
    source: 'our own names, as `petstore import` takes them',
    file: 'animals.csv',
    takesReserved: true,
    lineBreak: ' ',
    photos: { folder: 'photos', most: 6, isNamed: true },
    columns: columns(
      { id: 'id', name: 'name', status: 'status', species: 'species', breed: 'breed' },
      { secondBreed: 'secondBreed', mixed: 'mixed', sex: 'sex' },
      { birthDate: 'birthDate', ageGroup: 'age', size: 'size', coat: 'coat' },
      { colour1: 'colour1', colour2: 'colour2', colour3: 'colour3' },
      { headline: 'headline', description: 'description' },
      { goodWithDogs: 'goodWithDogs', goodWithCats: 'goodWithCats' },
      { goodWithChildren: 'goodWithChildren', houseTrained: 'houseTrained' },
      { neutered: 'neutered', vaccinated: 'vaccinated' },
      { specialNeeds: 'specialNeeds', specialNeedsNote: 'specialNeedsNote' },
      { energy: 'energy', fee: 'fee', feeCurrency: 'currency' },
      { inCareSince: 'inCareSince', url: 'url', videoUrl: 'video' },
      { photo1: 'photo1', photo2: 'photo2', photo3: 'photo3' },
      { photo4: 'photo4', photo5: 'photo5', photo6: 'photo6' },
    ),
  },
};

/** Why a place does not take an animal; undefined if it does. */
export function leftOutBecause(
  { species: taken, needsBreed = [], needsSex = false, takesReserved }: Format,
  { species, status, breed, sex }: Facts,
): LeftOutReason | undefined {
  const isOneOf = (all: readonly Species[]) => all.some((each) => each === species);
  if (species === undefined || (taken !== undefined && !isOneOf(taken))) return 'species';
  if (status === 'pending' && !takesReserved) return 'reserved';
  if (breed === undefined && isOneOf(needsBreed)) return 'breed';
  return needsSex && sex === undefined ? 'sex' : undefined;
}
