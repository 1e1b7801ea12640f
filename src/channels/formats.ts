import type { ChannelKind, LeftOutReason } from '../domain/channel.ts';
import type { Species } from '../domain/profile.ts';

/** What is known of an animal, as plain text; what is not known is absent. See `factsOf`. */
export type FactName =
  | ('id' | 'name' | 'status' | 'species' | 'breed' | 'secondBreed' | 'mixed' | 'sex' | 'age')
  | ('size' | 'coat' | 'colour1' | 'colour2' | 'colour3' | 'headline' | 'description' | 'birthDate')
  | ('inCareSince' | 'neutered' | 'vaccinated' | 'houseTrained' | 'specialNeeds')
  | ('specialNeedsNote' | 'goodWithDogs' | 'goodWithCats' | 'goodWithChildren' | 'energy')
  | ('fee' | 'currency' | 'feeWaived' | 'feeShown' | 'video' | 'url')
  | `photo${1 | 2 | 3 | 4 | 5 | 6}`;

/** A column: its header, what it holds, and the words of the place for it. What has no word is an empty cell. */
export type FormatColumn =
  | readonly [header: string, fact?: FactName]
  | readonly [header: string, fact: FactName, words: Readonly<Record<string, string>>];

/** How a place takes files. */
export interface Format {
  /** Where this is known from. */
  readonly source: string;
  /** The name of the file; undefined if it is the id of the account. */
  readonly file?: string;
  readonly needsAccount?: true;
  readonly columns: readonly FormatColumn[];
  /** Species that the place takes; others are left out. */
  readonly species?: readonly Species[];
  /** Species that need a breed. */
  readonly needsBreed?: readonly Species[];
  /** Whether it takes animals that are reserved. */
  readonly takesReserved: boolean;
  /** What stands for a line break: in a text of HTML its other signs are escaped. */
  readonly lineBreak: ' ' | '&#10;' | '<br>' | '<br />';
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
const SEX_LETTERS = { female: 'F', male: 'M' };

const DOGS_AND_CATS: readonly Species[] = ['dog', 'cat'];

/**
 * The formats. They name the columns of the places in their order, with the words that each takes; the code is our own.
 * `asm3` is Animal Shelter Manager (github.com/sheltermanager/asm3), src/asm3/publishers.
 */
export const FORMATS: Readonly<Record<ChannelKind, Format>> = {
  petfinder: {
    source: 'asm3 petfinder.py: the columns that Petfinder prescribes since August 2019',
    needsAccount: true,
    needsBreed: DOGS_AND_CATS,
    takesReserved: true,
    lineBreak: '&#10;',
    columns: [
      ['ID', 'id'],
      ['Internal', 'id'],
      ['AnimalName', 'name'],
      ['PrimaryBreed', 'breed'],
      ['SecondaryBreed', 'secondBreed'],
      ['Sex', 'sex', SEX_LETTERS],
      ['Size', 'size', LETTERS],
      ['Age', 'age', AGES],
      ['Desc', 'description'],
      [
        'Type',
        'species',
        {
          dog: 'Dog',
          cat: 'Cat',
          rabbit: 'Rabbit',
          small_mammal: 'Small & Furry',
          bird: 'Bird',
          horse: 'Horse',
          farm: 'Barnyard',
          reptile: 'Scales, Fins & Other',
          fish: 'Scales, Fins & Other',
          other: 'Scales, Fins & Other',
        },
      ],
      ['Status', 'status', { available: 'A', pending: 'H' }],
      ['Shots', 'vaccinated', FLAG],
      ['Altered', 'neutered', FLAG],
      ['NoDogs', 'goodWithDogs', NOT_GOOD],
      ['NoCats', 'goodWithCats', NOT_GOOD],
      ['NoKids', 'goodWithChildren', NOT_GOOD],
      ['Housetrained', 'houseTrained', FLAG],
      ['Declawed'],
      ['specialNeeds', 'specialNeeds', FLAG],
      ['Mix', 'mixed', FLAG],
      ['photo1', 'photo1'],
      ['photo2', 'photo2'],
      ['photo3', 'photo3'],
      ['photo4', 'photo4'],
      ['photo5', 'photo5'],
      ['photo6', 'photo6'],
      ['arrival_date', 'inCareSince'],
      ['birth_date', 'birthDate'],
      ['primaryColor', 'colour1'],
      ['secondaryColor', 'colour2'],
      ['tertiaryColor', 'colour3'],
      [
        'coat_length',
        'coat',
        {
          hairless: 'Hairless',
          short: 'Short',
          medium: 'Medium',
          long: 'Long',
          wire: 'Wire',
          curly: 'Curly',
        },
      ],
      ['adoption_fee', 'fee'],
      ['display_adoption_fee', 'feeShown', FLAG],
      ['adoption_fee_waived', 'feeWaived', FLAG],
      ['special_needs_notes', 'specialNeedsNote'],
      ['no_other'],
      ['no_other_note'],
      ['tags'],
    ],
  },
  adoptapet: {
    source: 'asm3 adoptapet.py, and the files that Adopt-a-Pet gives out: a header, no import.cfg',
    file: 'pets.csv',
    species: [
      ...(['dog', 'cat', 'rabbit', 'small_mammal', 'bird', 'horse', 'farm', 'reptile'] as const),
    ],
    needsBreed: DOGS_AND_CATS,
    takesReserved: false,
    lineBreak: '<br />',
    columns: [
      ['Id', 'id'],
      [
        'Animal',
        'species',
        {
          dog: 'Dog',
          cat: 'Cat',
          rabbit: 'Rabbit',
          small_mammal: 'Small Animal',
          bird: 'Bird',
          horse: 'Horse',
          farm: 'Farm Animal',
          reptile: 'Reptile',
        },
      ],
      ['Breed', 'breed'],
      ['Breed2', 'secondBreed'],
      ['Purebred', 'mixed', { true: '0', false: '1' }],
      ['Age', 'age', AGES],
      ['Name', 'name'],
      ['Size', 'size', LETTERS],
      ['Sex', 'sex', SEX_LETTERS],
      ['Color', 'colour1'],
      ['Description', 'description'],
      ['Status', 'status', { available: 'Available' }],
      ['GoodWKids', 'goodWithChildren', GOOD],
      ['GoodWCats', 'goodWithCats', GOOD],
      ['GoodWDogs', 'goodWithDogs', GOOD],
      ['SpayedNeutered', 'neutered', ONE_OR_ZERO],
      ['ShotsCurrent', 'vaccinated', ONE_OR_ZERO],
      ['Housetrained', 'houseTrained', ONE_OR_ZERO],
      ['Declawed'],
      ['SpecialNeeds', 'specialNeeds', ONE_OR_ZERO],
      [
        'HairLength',
        'coat',
        { hairless: 'Hairless', short: 'Short', medium: 'Medium', long: 'Long' },
      ],
      ['YouTubeVideoURL', 'video'],
      ['Photo1', 'photo1'],
      ['Photo2', 'photo2'],
      ['Photo3', 'photo3'],
      ['Photo4', 'photo4'],
    ],
  },
  rescuegroups: {
    source:
      'userguide.rescuegroups.org, "Supported animal import fields": a row that is missing removes its animal there',
    file: 'pets.csv',
    species: ['dog', 'cat', 'rabbit', 'bird', 'horse', 'reptile', 'fish'],
    // "Required unless species is Dog".
    needsBreed: ['cat', 'rabbit', 'bird', 'horse', 'reptile', 'fish'],
    takesReserved: false,
    lineBreak: '<br>',
    columns: [
      ['externalID', 'id'],
      ['status', 'status', { available: 'Available' }],
      ['name', 'name'],
      [
        'type',
        'species',
        {
          dog: 'Dog',
          cat: 'Cat',
          rabbit: 'Rabbit',
          bird: 'Bird',
          horse: 'Horse',
          reptile: 'Reptile',
          fish: 'Fish',
        },
      ],
      ['priBreed', 'breed'],
      ['secBreed', 'secondBreed'],
      ['mix', 'mixed', YES_NO],
      ['sex', 'sex', { female: 'Female', male: 'Male' }],
      ['age', 'age', AGES],
      ['okwithdogs', 'goodWithDogs', GOOD_WORDS],
      ['okwithcats', 'goodWithCats', GOOD_WORDS],
      ['okwithkids', 'goodWithChildren', GOOD_WORDS],
      ['housebroken', 'houseTrained', YES_NO],
      ['specialNeeds', 'specialNeeds', YES_NO],
      ['altered', 'neutered', YES_NO],
      ['size', 'size', { small: 'Small', medium: 'Medium', large: 'Large', xlarge: 'X-Large' }],
      ['uptodate', 'vaccinated', YES_NO],
      ['color', 'colour1'],
      ['coatLength', 'coat', { short: 'Short', medium: 'Medium', long: 'Long' }],
      ['dsc', 'description'],
      ['photo1', 'photo1'],
      ['photo2', 'photo2'],
      ['photo3', 'photo3'],
      ['photo4', 'photo4'],
      ['videoUrl', 'video'],
    ],
  },
  csv: {
    source: 'our own names, as `petstore import` takes them',
    file: 'animals.csv',
    takesReserved: true,
    lineBreak: ' ',
    columns: [
      ['id', 'id'],
      ['name', 'name'],
      ['status', 'status'],
      ['species', 'species'],
      ['breed', 'breed'],
      ['secondBreed', 'secondBreed'],
      ['mixed', 'mixed'],
      ['sex', 'sex'],
      ['birthDate', 'birthDate'],
      ['ageGroup', 'age'],
      ['size', 'size'],
      ['coat', 'coat'],
      ['colour1', 'colour1'],
      ['colour2', 'colour2'],
      ['colour3', 'colour3'],
      ['headline', 'headline'],
      ['description', 'description'],
      ['goodWithDogs', 'goodWithDogs'],
      ['goodWithCats', 'goodWithCats'],
      ['goodWithChildren', 'goodWithChildren'],
      ['houseTrained', 'houseTrained'],
      ['neutered', 'neutered'],
      ['vaccinated', 'vaccinated'],
      ['specialNeeds', 'specialNeeds'],
      ['specialNeedsNote', 'specialNeedsNote'],
      ['energy', 'energy'],
      ['fee', 'fee'],
      ['feeCurrency', 'currency'],
      ['inCareSince', 'inCareSince'],
      ['url', 'url'],
      ['videoUrl', 'video'],
      ['photo1', 'photo1'],
      ['photo2', 'photo2'],
      ['photo3', 'photo3'],
      ['photo4', 'photo4'],
      ['photo5', 'photo5'],
      ['photo6', 'photo6'],
    ],
  },
};

/** What the public sees of an animal that decides whether a place takes it. */
interface Shown {
  readonly species: Species | null;
  readonly isReserved: boolean;
  readonly hasBreed: boolean;
}

/** Why a place does not take an animal; undefined if it does. */
export function leftOutBecause(
  { species: taken, needsBreed = [], takesReserved }: Format,
  { species, isReserved, hasBreed }: Shown,
): LeftOutReason | undefined {
  if (species === null || (taken !== undefined && !taken.includes(species))) return 'species';
  if (isReserved && !takesReserved) return 'reserved';
  return !hasBreed && needsBreed.includes(species) ? 'breed' : undefined;
}
