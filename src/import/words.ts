import { normalized } from '../domain/name.ts';

/** What other programs write for the words of a profile, in English and German, in lower case and without signs. */
const OTHER_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  species: {
    dog: 'dogs, canine, puppy, puppies, pup, k9, hund, hunde, welpe, perro, perros, perra, cachorro, chien, chiens, chiot, pes, psi, pies, psy, suka, štěně, domestic dog, hündin, rüde, canino, canina, caninos, cadela, cadelas, 狗, 犬, 개, 강아지, chienne, chiennes, cane, cani, cagna, cagnolino, hond, honden, cão, cães',
    cat: 'cats, feline, kitten, kittens, barn cat, working cat, katze, katzen, kätzchen, gato, gatos, gata, gatito, chat, chats, chaton, kočka, kočky, kotě, kot, kotka, koty, kater, kätzin, feral cat, community cat, felino, felina, felinos, poezen, 貓, 猫, domestic cat, cat kitten, 고양이, chatte, chattes, gatto, gatti, gatta, gattino, kat, katten, poes',
    rabbit:
      'rabbits, bunny, bunnies, bunny rabbit, lagomorph, house rabbit, domestic rabbit, kaninchen, hase, conejo, conejos, lapin, lapins, králík, 토끼, zwergkaninchen, widderkaninchen, lapine, coniglio, conigli, konijn, konijnen, coelho',
    small_mammal:
      'small mammals, small animal, small animals, small furry, small and furry, small furry animal, rodent, ferret, guinea pig, hamster, gerbil, rat, mouse, chinchilla, cavy, nagetier, nagetiere, kleintier, kleintiere, kleinsäuger, meerschweinchen, frettchen, ratte, maus, roedor, hurón, cobaya, rongeur, cobaye, furet, morče, křeček, fretka, roditore, roditori, cavia, criceto, furetto, knaagdier, knaagdieren, roedores',
    bird: 'birds, avian, parrot, bird parrot, parakeet, budgie, cockatiel, vogel, vögel, papagei, wellensittich, ave, aves, pájaro, loro, oiseau, oiseaux, perroquet, pták, uccello, uccelli, pappagallo, vogels, papegaai, pássaro, pássaros',
    horse:
      'horses, equine, pony, donkey, mule, pferd, pferde, esel, caballo, burro, cheval, âne, kůň, jument, yegua, stute, hengst, cavallo, asino, paard, ezel, cavalo',
    farm: 'livestock, farm animal, farm type animal, farm type, barnyard, goat, sheep, pig, cow, cattle, chicken, duck, goose, hoftier, hoftiere, nutztier, ziege, schaf, schwein, kuh, rind, huhn, ente, gans, cabra, oveja, cerdo, vaca, gallina, chèvre, mouton, cochon, vache, poule, koza, ovce, prase, capra, pecora, maiale, mucca, geit, schaap, varken, kip, ovelha, porco, galinha',
    reptile:
      'reptiles, reptile amphibian, amphibian, snake, lizard, turtle, tortoise, frog, reptil, reptilien, schlange, schildkröte, tortuga, serpiente, tortue, serpent, plaz, želva, rettile, rettili, tartaruga, schildpad, slang, reptielen',
    fish: 'fishes, fisch, fische, pez, poisson, ryba, pesce, pesci, peixe',
    other:
      'others, wildlife, exotic, anderes tier, andere, sonstige, otro, otros, autre, autres, jiné, 기타',
  },
  sex: {
    female: 'f, w, weiblich, hündin, kätzin, stute, femmina, fêmea, vrouwelijk, teef',
    male: 'm, männlich, rüde, kater, hengst, maschio, macho, mannelijk, reu',
  },
  ageGroup: {
    baby: 'puppy, kitten, infant, welpe, jungtier, cachorro, chiot, bébé, mládě, cucciolo, pup, filhote',
    young: 'juvenile, adolescent, jung, joven, jeune, mladý, giovane, jong, jovem',
    adult: 'mature, erwachsen, adulto, adulta, adulte, dospělý, volwassen',
    senior: 'geriatric, old, mayor, âgé, anziano, anziana, oud, idoso, idosa',
  },
  size: {
    small:
      's, sm, sml, mini, very small, x small, toy, klein, pequeño, pequeña, petit, petite, malý, piccolo, piccola, pequeno, pequena',
    medium:
      'm, med, md, mittel, mittelgroß, mediano, mediana, moyen, moyenne, střední, medio, media, middel, médio',
    large: 'l, lg, lrg, big, groß, gross, grande, grand, velký, grande taglia, groot',
    xlarge:
      'xl, x large, extra large, xlg, x lrg, xlrg, x lg, giant, sehr groß, muy grande, très grand, obří',
  },
  coat: {
    short: 'shorthair, short hair, kurz, kurzhaar, corto',
    medium: 'medium hair, mittel',
    long: 'longhair, long hair, lang, langhaar, largo',
    wire: 'wirehair, wirehaired, drahthaar, rau',
  },
  goodWithDogs: {
    yes: 'y, true, 1, ja, sí, sì, si, oui, sim, ano',
    no: 'n, false, 0, nein, non, nee, não, ne',
    selective: 'some, nach sympathie, bedingt, selektiv, selectivo',
  },
  goodWithCats: {
    yes: 'y, true, 1, ja, sí, sì, si, oui, sim, ano',
    no: 'n, false, 0, nein, non, nee, não, ne',
    selective: 'some, nach sympathie, bedingt, selektiv, selectivo',
  },
  goodWithChildren: {
    yes: 'y, true, 1, ja, sí, sì, si, oui, sim, ano',
    no: 'n, false, 0, nein, non, nee, não, ne',
    over_5: '5, 5 and up',
    over_12: '12, 12 and up, over 12, ab 12, ab 12 jahren',
  },
  energy: { medium: 'moderate' },
  care: { foster: 'in foster, foster home' },
};

/** What stands for yes and no. */
const YES = 'yes, y, true, t, 1, checked, tak, ja, j, sí, sì, si, oui, sim, ano';
const NO = 'no, n, false, f, 0, unchecked, nie, nein, non, nee, não, ne';
const OTHER_FLAGS: Readonly<Record<string, readonly [yes: string, no: string]>> = {
  mixed: ['mix, mixed, mixed breed', 'purebred, pure'],
  neutered: [
    'neutered, spayed, altered, fixed, sterilized, sterilised, kastriert, kastr, sterilisiert, castrado, castrada, esterilizado, esterilizada, stérilisé, stérilisée, castré, castrée, sterilizzato, sterilizzata, castrato, castrata, gecastreerd, gesteriliseerd',
    'intact, unaltered, not altered, not neutered, not spayed, unkastriert, nicht kastriert, entero, entera, sin esterilizar, non stérilisé, non stérilisée, intero, intera, niet gecastreerd',
  ],
};

/** Folds what is written for a word: case, signs, and what is in brackets. */
export function folded(text: string): string {
  return normalized(text, 'NFC')
    .toLowerCase()
    .replaceAll(/\([^()]*\)/g, ' ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Returns the meaning of each word in a table of meanings, each with its words, folded and separated by commas. */
export function meaningsOf<T extends string>(
  table: Readonly<Record<T, string>>,
): ReadonlyMap<string, T> {
  const meanings = Object.keys(table) as T[]; // The keys of the literal.
  return new Map(
    meanings.flatMap((meaning) =>
      table[meaning].split(',').map((word) => [folded(word), meaning] as const),
    ),
  );
}

const UNKNOWN = meaningsOf({
  unknown: `
    unknown, unk, n a, na, none, null, not known, undetermined, unbekannt, nicht bekannt, unknown name, no name,
    unnamed, nameless, not provided, not specified, not available, name not provided, ohne namen, ohne name,
    namenlos, desconocido, desconocida, sin nombre, inconnu, inconnue, sans nom, neznámé, neznámý, bez jména,
    미상, nan, no age, unsure, unb, not sure, not tested, untested, no color, tbd, keine angabe`,
});
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
  let map = wordMaps.get(name);
  if (map === undefined) {
    map = new Map(
      words.flatMap((word) => {
        const others = OTHER_WORDS[name]?.[word]?.split(', ') ?? [];
        return [folded(word), ...others].map((written) => [written, word] as const);
      }),
    );
    wordMaps.set(name, map);
  }
  return map.get(folded(text));
}

/** Reads yes or no. */
export function flagIn(name: string, text: string): boolean | undefined {
  const [yes = '', no = ''] = OTHER_FLAGS[name] ?? [];
  const written = folded(text);
  if (written === '') return undefined;
  if (`${YES}, ${yes}`.split(', ').includes(written)) return true;
  return `${NO}, ${no}`.split(', ').includes(written) ? false : undefined;
}
