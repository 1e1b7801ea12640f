import type { PetStatus } from '../domain/pet.ts';
import type { IntakeType, OutcomeType } from '../domain/stay.ts';
import { folded } from './words.ts';

/** What a word says of an animal: what it is now, or how it left. */
export type Meaning = { readonly status: 'available' | 'pending' } | { readonly left: OutcomeType };

const words = (text: string) => text.split(', ');

/**
 * Whole words of other systems, folded, with where each list was seen. Any other is asked for: nobody may
 * publish a dead animal.
 */
const MEANINGS: readonly (readonly [Meaning, readonly string[]])[] = [
  [
    { status: 'available' },
    [
      // RescueGroups, Petstablished, Shelterluv, ShelterBuddy, PetPoint, Chameleon, and sheets.
      ...words('available, adoptable, available for adoption, ready for adoption, available now'),
      ...words('in shelter, on shelter, in care, in custody, at shelter, a, active, for adoption'),
      ...words('verfügbar, zu vermitteln, in vermittlung, im tierheim, suchend, sucht zuhause'),
      ...words(
        'disponible, en adopción, en adopcion, en refugio, à adopter, au refuge, adoptovatelný',
      ),
      ...words(
        'disponibile, adottabile, in adozione, da adottare, beschikbaar, disponível, para adoção, avail, rtr, ready to rehome, ready for rehoming, notfall, à l adoption, a l adoption, adoptable, do adopcji',
      ),
      ...words('k adopci, volný, 보호중, 공고중, 입양가능, open'),
    ],
  ],
  [
    { status: 'pending' },
    [
      ...words(
        'pending, adoption pending, adopt pending, reserved, on hold, hold, in foster, foster',
      ),
      ...words(
        'trial, trial adoption, h, p, available in foster, quarantine, stray hold, bite hold, pending adoption, adoption in progress, on trial, home trial, foster to adopt, vet hold, pflegestelle vermittelbar',
      ),
      ...words('medical hold, not available, unavailable, evaluation, reserviert, pflegestelle'),
      ...words(
        'riservato, riservata, in stallo, gereserveerd, reservada, réservée, reserviert, en famille',
      ),
      ...words(
        'in pflege, quarantäne, reservado, acogida, em tratamento, en tratamiento, en soins, en famille d accueil, famille d accueil, em lar temporário, auf pflegestelle, en acogida, réservé, rezervace, rezervovaný',
      ),
    ],
  ],
  [
    { left: 'adopted' },
    [
      ...words('adoption, adopted, adopt, sold, placed, rehomed, rto adopt, adoption offsite, x'),
      ...words('vermittelt, adoptiert, adoptado, adoptada, adopción, adopcion, adopté, adoptée'),
      ...words(
        'adottato, adottata, geadopteerd, geplaatst, adotado, adotada, adoptée, zuhause gefunden',
      ),
      ...words(
        'adoptován, adoptovaný, 입양, 입양완료, vermittlung, vermittlung erfolgt, im neuen zuhause, gone home, adoptowany, adoptowana',
      ),
    ],
  ],
  [
    { left: 'to_owner' },
    [
      ...words('return to owner, returned to owner, return to owner guardian, rto, reclaimed'),
      ...words(
        'reclaim, reclaimed by owner, redeemed, return to guardian, returned to guardian, owner reclaimed',
      ),
      ...words('zurück an besitzer, an besitzer, zurück an halter, devuelto, devuelto al dueño'),
      ...words(
        'rendu, vrácen majiteli, 반환, an besitzer zurück, rückgabe an besitzer, rückgabe an halter, redemption, restitué, restituito, returned home',
      ),
    ],
  ],
  [
    { left: 'transferred' },
    [
      ...words('transfer, transferred, transfer out, transferred out, rescue, to rescue'),
      ...words('rescue transfer, transfer to rescue, abgegeben, verlegt, transferido, transféré'),
      ...words('homefirst, community cat transfer, převezen, 기증'),
    ],
  ],
  [
    { left: 'to_field' },
    [
      ...words('shelter neuter return, snr, tnr, trap neuter return, return to field, rtf'),
      ...words(
        'released, released to wild, release, 방사, auswilderung, ausgewildert, return to wild, relocate',
      ),
    ],
  ],
  [
    { left: 'died' },
    [
      ...words(
        'died, dead, rip, rainbow bridge, deceased, doa, dead on arrival, died in care, death, died in shelter',
      ),
      ...words(
        'disposal, verstorben, gestorben, tot, muerto, muerta, fallecido, fallecida, décédé',
      ),
      ...words('deceduto, deceduta, overleden, falecido, falecida, morte, décès, fallecimiento'),
      ...words(
        'décédée, mort, uhynul, úhyn, 자연사, óbito, baja por muerte, unassisted death, morreu',
      ),
    ],
  ],
  [
    { left: 'euthanized' },
    [
      ...words(
        'euthanized, euthanised, euthanasia, euthanize, pts, put to sleep, euthanise, euth, humane euthanasia',
      ),
      ...words('owner requested euthanasia, shelter euthanasia, owner requested euth'),
      ...words(
        'eingeschläfert, euthanasiert, eutanasia, euthanasié, eutanazie, 안락사, req euth, eutanasiado, eutanasiada, euthanasiée, eutanasiato, uśpiony',
      ),
    ],
  ],
  [
    { left: 'lost' },
    words(
      'smarrito, verloren, perdida, perdue, missing, lost, escaped, stolen, escaped stolen, entlaufen, perdido, perdu, utekl, 분실',
    ),
  ],
  [
    { left: 'other' },
    words(
      'vet, duplicate, no longer in care, removed, appointment, healthy in home, found anim, found exp, lost exp, neuter, spay, treatment, wildlife, 종료, service out, closed, archived',
    ),
  ],
];

const BY_WORD = new Map(
  MEANINGS.flatMap(([meaning, list]) => list.map((word) => [folded(word), meaning] as const)),
);
/** What the codes of intake say, for intake columns. */
const INTAKES: readonly (readonly [IntakeType, readonly string[]])[] = [
  [
    'stray',
    words(
      'stray, stray otc, stray field, found, abandoned, fund, fundtier, ausgesetzt, extraviado, callejero, abandonado, trouvé, errant, fourrière, randagio, trovato, zwerver, toulavý, 유기',
    ),
  ],
  [
    'owner',
    words(
      'owner surrender, surrender, owner surrendered, owner, o surrender, abgabe, relinquished, relinquishment, owner guardian surrender, os, owner sur, ownersur, owner surr, abgabetier, entrega, abandon, rinuncia, afstand',
    ),
  ],
  [
    'transfer',
    words(
      'transfer, transfer in, transferred in, transfer from, rescue, übernahme, rescate, transfert',
    ),
  ],
  [
    'seized',
    words(
      'seized, confiscate, confiscated, seizure, police, seized custody, cruelty, quarantine, sicherstellung, beschlagnahmt, decomiso, saisie',
    ),
  ],
  [
    'born',
    words('born in care, born, born in shelter, geboren, geburt, nacido, nacimiento, naissance'),
  ],
  [
    'return',
    words(
      'return, adoption return, returned, adopt return, return adopt, rückgabe, rückläufer, returned adoption, devolución, retour',
    ),
  ],
  [
    'other',
    words('other, wildlife, public assist, safe keep, euthanasia required, euthanasia request'),
  ],
];
const INTAKE_BY_WORD = new Map(
  INTAKES.flatMap(([type, list]) => list.map((word) => [folded(word), type] as const)),
);

const TEXT_MAX = 100;

/** Returns what a status says; undefined for a word that nobody is sure of. */
export function meaningOf(value: string): Meaning | undefined {
  if (value.length > TEXT_MAX) return undefined;
  const meaning = BY_WORD.get(folded(value));
  const aside = folded((value.match(/(?<=\()[^()]*(?=\))/g) ?? []).join(' '));
  return meaning !== undefined && contradicts(aside, meaning) ? undefined : meaning;
}

/** What stands in brackets can mean another thing: `Available (adopted)`, `Adopted (returned)`. */
function contradicts(aside: string, meaning: Meaning): boolean {
  if (aside === '') return false;
  if ('left' in meaning) return /^(?:returned|back|zurück|devuelto|retour)/.test(aside);
  return [aside, ...aside.split(' ')].some((word) => {
    const other = BY_WORD.get(word);
    return other !== undefined && JSON.stringify(other) !== JSON.stringify(meaning);
  });
}

/** Returns how an animal came in; undefined for an unknown word. */
export function intakeTypeOf(value: string): IntakeType | undefined {
  return value.length > TEXT_MAX ? undefined : INTAKE_BY_WORD.get(folded(value));
}

/** Returns the status that a meaning stands for. */
export function statusMeant(meaning: Meaning): PetStatus {
  return 'status' in meaning ? meaning.status : 'sold';
}
