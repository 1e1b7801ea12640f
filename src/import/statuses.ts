import type { PetStatus } from '../domain/pet.ts';
import type { IntakeType, OutcomeType } from '../domain/stay.ts';
import { folded, meaningsOf } from './words.ts';

/** What a word says of an animal: what it is now, or how it left. */
export type Meaning = { readonly status: 'available' | 'pending' } | { readonly left: OutcomeType };

/**
 * Whole words of RescueGroups, Petstablished, Shelterluv, ShelterBuddy, PetPoint, Chameleon and of sheets. Any other
 * word is asked for: nobody may publish a dead animal.
 */
const PRESENT = meaningsOf<'available' | 'pending'>({
  available: `
    available, adoptable, available for adoption, ready for adoption, available now, in shelter, on shelter,
    in care, in custody, at shelter, a, active, for adoption, verfügbar, zu vermitteln, in vermittlung,
    im tierheim, suchend, sucht zuhause, disponible, en adopción, en adopcion, en refugio, à adopter, au refuge,
    adoptovatelný, disponibile, adottabile, in adozione, da adottare, beschikbaar, disponível, para adoção,
    avail, rtr, ready to rehome, ready for rehoming, notfall, à l adoption, a l adoption, do adopcji, k adopci,
    volný, 보호중, 공고중, 입양가능, open`,
  pending: `
    pending, adoption pending, adopt pending, reserved, on hold, hold, in foster, foster, trial, trial adoption,
    h, p, available in foster, quarantine, stray hold, bite hold, pending adoption, adoption in progress,
    on trial, home trial, foster to adopt, vet hold, pflegestelle vermittelbar, medical hold, not available,
    unavailable, evaluation, reserviert, pflegestelle, riservato, riservata, in stallo, gereserveerd, reservada,
    réservée, en famille, in pflege, quarantäne, reservado, acogida, em tratamento, en tratamiento, en soins,
    en famille d accueil, famille d accueil, em lar temporário, auf pflegestelle, en acogida, réservé,
    rezervace, rezervovaný`,
});
const LEFT = meaningsOf<OutcomeType>({
  adopted: `
    adoption, adopted, adopt, sold, placed, rehomed, rto adopt, adoption offsite, x, vermittelt, adoptiert,
    adoptado, adoptada, adopción, adopcion, adopté, adoptée, adottato, adottata, geadopteerd, geplaatst,
    adotado, adotada, zuhause gefunden, adoptován, adoptovaný, 입양, 입양완료, vermittlung, vermittlung erfolgt,
    im neuen zuhause, gone home, adoptowany, adoptowana`,
  to_owner: `
    return to owner, returned to owner, return to owner guardian, rto, reclaimed, reclaim, reclaimed by owner,
    redeemed, return to guardian, returned to guardian, owner reclaimed, zurück an besitzer, an besitzer,
    zurück an halter, devuelto, devuelto al dueño, rendu, vrácen majiteli, 반환, an besitzer zurück,
    rückgabe an besitzer, rückgabe an halter, redemption, restitué, restituito, returned home`,
  transferred: `
    transfer, transferred, transfer out, transferred out, rescue, to rescue, rescue transfer,
    transfer to rescue, abgegeben, verlegt, transferido, transféré, homefirst, community cat transfer, převezen,
    기증`,
  to_field: `
    shelter neuter return, snr, tnr, trap neuter return, return to field, rtf, released, released to wild,
    release, 방사, auswilderung, ausgewildert, return to wild, relocate`,
  died: `
    died, dead, rip, rainbow bridge, deceased, doa, dead on arrival, died in care, death, died in shelter,
    disposal, verstorben, gestorben, tot, muerto, muerta, fallecido, fallecida, décédé, deceduto, deceduta,
    overleden, falecido, falecida, morte, décès, fallecimiento, décédée, mort, uhynul, úhyn, 자연사, óbito,
    baja por muerte, unassisted death, morreu`,
  euthanized: `
    euthanized, euthanised, euthanasia, euthanize, pts, put to sleep, euthanise, euth, humane euthanasia,
    owner requested euthanasia, shelter euthanasia, owner requested euth, eingeschläfert, euthanasiert,
    eutanasia, euthanasié, eutanazie, 안락사, req euth, eutanasiado, eutanasiada, euthanasiée, eutanasiato, uśpiony`,
  lost: `
    smarrito, verloren, perdida, perdue, missing, lost, escaped, stolen, escaped stolen, entlaufen, perdido,
    perdu, utekl, 분실`,
  other: `
    vet, duplicate, no longer in care, removed, appointment, healthy in home, found anim, found exp, lost exp,
    neuter, spay, treatment, wildlife, 종료, service out, closed, archived`,
});
/** What the codes of intake say, for intake columns. */
const INTAKES = meaningsOf<IntakeType>({
  stray: `
    stray, stray otc, stray field, found, abandoned, fund, fundtier, ausgesetzt, extraviado, callejero,
    abandonado, trouvé, errant, fourrière, randagio, trovato, zwerver, toulavý, 유기`,
  owner: `
    owner surrender, surrender, owner surrendered, owner, o surrender, abgabe, relinquished, relinquishment,
    owner guardian surrender, os, owner sur, ownersur, owner surr, abgabetier, entrega, abandon, rinuncia,
    afstand`,
  transfer:
    'transfer, transfer in, transferred in, transfer from, rescue, übernahme, rescate, transfert',
  seized: `
    seized, confiscate, confiscated, seizure, police, seized custody, cruelty, quarantine, sicherstellung,
    beschlagnahmt, decomiso, saisie`,
  born: 'born in care, born, born in shelter, geboren, geburt, nacido, nacimiento, naissance',
  return: `
    return, adoption return, returned, adopt return, return adopt, rückgabe, rückläufer, returned adoption,
    devolución, retour`,
  other: 'other, wildlife, public assist, safe keep, euthanasia required, euthanasia request',
});

/** Returns what a folded word says. */
function meaningIn(word: string): Meaning | undefined {
  const [status, left] = [PRESENT.get(word), LEFT.get(word)];
  return status === undefined ? left && { left } : { status };
}

const TEXT_MAX = 100;

/** Returns what a status says; undefined for a word that nobody is sure of. */
export function meaningOf(value: string): Meaning | undefined {
  if (value.length > TEXT_MAX) return undefined;
  const meaning = meaningIn(folded(value));
  const aside = folded((value.match(/(?<=\()[^()]*(?=\))/g) ?? []).join(' '));
  return meaning !== undefined && contradicts(aside, meaning) ? undefined : meaning;
}

/** What stands in brackets can mean another thing: `Available (adopted)`, `Adopted (returned)`. */
function contradicts(aside: string, meaning: Meaning): boolean {
  if (aside === '') return false;
  if ('left' in meaning) return /^(?:returned|back|zurück|devuelto|retour)/.test(aside);
  return [aside, ...aside.split(' ')].some((word) => {
    const other = meaningIn(word);
    return other !== undefined && JSON.stringify(other) !== JSON.stringify(meaning);
  });
}

/** Returns how an animal came in; undefined for an unknown word. */
export function intakeTypeOf(value: string): IntakeType | undefined {
  return value.length > TEXT_MAX ? undefined : INTAKES.get(folded(value));
}

/** Returns the status that a meaning stands for. */
export function statusMeant(meaning: Meaning): PetStatus {
  return 'status' in meaning ? meaning.status : 'sold';
}
