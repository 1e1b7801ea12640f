/** What other programs write for the words of a profile, in English and German, in lower case and without signs. */
const OTHER_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  species: {
    dog: 'dogs, canine, puppy, k9, hund, hunde, welpe',
    cat: 'cats, feline, kitten, katze, katzen',
    rabbit: 'rabbits, bunny, lagomorph, kaninchen',
    small_mammal:
      'small mammals, small animal, small furry, rodent, ferret, guinea pig, hamster, gerbil, rat, mouse, chinchilla, kleintier, kleintiere, kleinsäuger, meerschweinchen, frettchen, ratte, maus',
    bird: 'birds, avian, parrot, parakeet, budgie, cockatiel, vogel, vögel, papagei, wellensittich',
    horse: 'horses, equine, pony, donkey, mule, pferd, pferde, esel',
    farm: 'livestock, farm animal, barnyard, goat, sheep, pig, cow, cattle, chicken, duck, goose, hoftier, hoftiere, nutztier, ziege, schaf, schwein, kuh, rind, huhn, ente, gans',
    reptile:
      'reptiles, reptile amphibian, amphibian, snake, lizard, turtle, tortoise, frog, reptil, reptilien, schlange, schildkröte',
    fish: 'fishes, fisch, fische',
    other: 'others, wildlife, exotic, anderes tier, andere, sonstige',
  },
  sex: {
    female: 'f, w, weiblich, hündin, kätzin, stute',
    male: 'm, männlich, rüde, kater, hengst',
  },
  ageGroup: {
    baby: 'puppy, kitten, infant',
    young: 'juvenile, adolescent',
    adult: 'mature',
    senior: 'geriatric, old',
  },
  size: { small: 's', medium: 'm, med', large: 'l', xlarge: 'xl, x large, extra large' },
  coat: { short: 'shorthair, short hair', medium: 'medium hair', long: 'longhair, long hair' },
  goodWithDogs: { yes: 'y, true, 1, ja', no: 'n, false, 0, nein', selective: 'some' },
  goodWithCats: { yes: 'y, true, 1, ja', no: 'n, false, 0, nein', selective: 'some' },
  goodWithChildren: {
    yes: 'y, true, 1, ja',
    no: 'n, false, 0, nein',
    over_5: '5, 5 and up',
    over_12: '12, 12 and up',
  },
  energy: { medium: 'moderate' },
  care: { foster: 'in foster, foster home' },
};

/** What stands for yes and no. */
const YES = 'yes, y, true, t, 1, ja, j';
const NO = 'no, n, false, f, 0, nein';
const OTHER_FLAGS: Readonly<Record<string, readonly [yes: string, no: string]>> = {
  mixed: ['mix, mixed, mixed breed', 'purebred, pure'],
  neutered: [
    'neutered, spayed, altered, fixed, sterilized, sterilised, kastriert, sterilisiert',
    'intact, unaltered, unkastriert, nicht kastriert',
  ],
};

/** Folds what is written for a word: case, signs, and what is in brackets. */
function folded(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/\([^()]*\)/g, ' ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

const UNKNOWN = new Set([
  'unknown',
  'unk',
  'n a',
  'na',
  'none',
  'null',
  'not known',
  'undetermined',
  'unbekannt',
  'keine angabe',
]);
/** A longer text says something. */
const SAID_MAX = 100;
const NOTHING = /^[\s?.*/–—-]*$/;

/** Returns whether a value says that nothing is known. */
export function saysUnknown(text: string): boolean {
  return text.length <= SAID_MAX && (NOTHING.test(text) || UNKNOWN.has(folded(text)));
}

/** What is written, folded, for each word of a field. */
const wordMaps = new Map<string, ReadonlyMap<string, string>>();

/** Finds the word of a field that a text means. */
export function wordIn(name: string, words: readonly string[], text: string): string | undefined {
  const map = wordMaps.getOrInsertComputed(
    name,
    () =>
      new Map(
        words.flatMap((word) => {
          const others = OTHER_WORDS[name]?.[word]?.split(', ') ?? [];
          return [folded(word), ...others].map((written) => [written, word] as const);
        }),
      ),
  );
  return map.get(folded(text));
}

/** Reads yes or no. */
export function flagIn(name: string, text: string): boolean | undefined {
  const [yes = '', no = ''] = OTHER_FLAGS[name] ?? [];
  const written = folded(text);
  if (`${YES}, ${yes}`.split(', ').includes(written)) return true;
  return `${NO}, ${no}`.split(', ').includes(written) ? false : undefined;
}
