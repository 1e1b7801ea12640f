import { type AnimalKind, type Dictionary, wordsOf } from '../domain/listing-filter.ts';
import { LANGUAGE_NAMES, messagesIn } from './languages.ts';

/** The words that say what an animal is, in every language of the pages, whatever the language of the reader. */
export const SEARCH_WORDS: Dictionary = dictionary();

function dictionary(): Dictionary {
  const known = new Map<string, AnimalKind[]>();
  const add = (text: string, kind: AnimalKind) => {
    for (const word of wordsOf(text)) known.set(word, [...(known.get(word) ?? []), kind]);
  };
  for (const name of LANGUAGE_NAMES) {
    const { species, sex, ageGroup, size, kinds } = messagesIn(name);
    for (const [label, kind] of [
      // The keys are those of the domain.
      ...labels('species', species),
      ...labels('sex', sex),
      ...labels('ageGroup', ageGroup),
      ...labels('size', size),
    ]) {
      // A label of several words, such as "Small mammal", says nothing by one of them.
      if (wordsOf(label).length === 1) add(label, kind);
    }
    for (const [words, kind] of kinds) add(words, kind);
  }
  return known;
}

/** Each label with the kind that it stands for. */
function labels(
  name: keyof AnimalKind,
  words: Readonly<Record<string, string | readonly string[]>>,
): (readonly [label: string, kind: AnimalKind])[] {
  return Object.entries(words).flatMap(([value, label]) =>
    [label].flat().map((one) => [one, { [name]: value }] as const),
  );
}
