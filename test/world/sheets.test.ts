import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { createWorkspace } from '../cli/workspace.ts';
import { forEachTest } from '../support/lifetime.ts';

/*
 * Sheets that nobody's program wrote: in other languages, with units and forms in their headers, and with words of their own.
 * None needs a flag, and what is not sure stays unread.
 */

const workspace = forEachTest(() => createWorkspace());

/** What an import says, and what it knows of each animal. */
async function imported(lines: readonly string[]) {
  const path = workspace.path('sheet.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  const summary = await workspace.output('import', path);
  const animals = (await workspace.animals()).map(({ name, externalId, status, profile }) => {
    const { species, sex, neutered, birthDate, ageGroup, weightGrams, size, microchip, mixed } =
      profile ?? {};
    const { inCareSince, location } = profile ?? {};
    const known = [species, sex, neutered, birthDate, ageGroup, weightGrams, size, mixed];
    return [name, externalId, status, ...known, microchip, inCareSince, location]
      .filter((value) => value !== null && value !== undefined && value !== '')
      .join(' | ');
  });
  return { summary, animals };
}

const SHEETS: Readonly<Record<string, readonly [lines: string[], animals: string[]]>> = {
  German: [
    [
      'Lfd. Nr.;Name des Tieres;Tierart;Geschlecht;Geboren am;Aufgenommen am;Mikrochip;Unterbringung;Gewicht (kg)',
      '7/26;Wotan;Rüde;mk;01.04.2023;3.2.2026;276097201234567;Haus 2;31,5',
      '8/26;Trixi;Katze;wk;ca. 2022;17.2.2026;;Zimmer 4;3,4',
      '9/26;Mümmel;Zwergkaninchen;w;;1.3.2026;;;',
    ],
    [
      'Wotan | 7/26 | available | dog | male | true | 2023-04-01 | 31500 | 276097201234567 | 2026-02-03 | Haus 2',
      'Trixi | 8/26 | available | cat | female | true | 2022-01-01 | 3400 | 2026-02-17 | Zimmer 4',
      'Mümmel | 9/26 | available | rabbit | female | 2026-03-01',
    ],
  ],
  French: [
    [
      'N° dossier,Nom de l’animal,Type d’animal,Sexe,Date naissance,Castré,N° identification,Date arrivée,Poids (kg)',
      'F12,Ficelle,Chienne,Femelle,04/03/2021,Oui,250268712345678,14/02/2026,"8,2"',
      'F13,Gribouille,Chat,mâle,2/2024,Non,,03/01/2026,4',
    ],
    [
      'Ficelle | F12 | available | dog | female | true | 2021-03-04 | 8200 | 250268712345678 | 2026-02-14',
      'Gribouille | F13 | available | cat | male | false | 2024-02-01 | 4000 | 2026-01-03',
    ],
  ],
  Italian: [
    [
      'Matricola;Nome;Specie;Razza;Sesso;Data nascita;Castrato;Data ingresso;Taglia',
      'M-3;Birba;Cane;Meticcia;Femmina;giugno 2023;Sì;12/02/2026;media',
      'M-4;Pallino;Gatto;Europeo;Maschio;;No;25/02/2026;piccola',
    ],
    [
      'Birba | M-3 | available | dog | female | true | 2023-06-01 | medium | true | 2026-02-12',
      'Pallino | M-4 | available | cat | male | false | small | 2026-02-25',
    ],
  ],
  Dutch: [
    [
      'Nummer;Naam;Diersoort;Geslacht;Geboortedatum (DD-MM-JJJJ);Gesteriliseerd;Opnamedatum;Verblijf',
      '31;Saar;Hond;teef;05-06-2022;ja;02-03-2026;Kennel 4',
      '32;Tommie;Kat;mannelijk;07-08-2024;nee;03-03-2026;Kattenkamer',
    ],
    [
      'Saar | 31 | available | dog | female | true | 2022-06-05 | 2026-03-02 | Kennel 4',
      'Tommie | 32 | available | cat | male | false | 2024-08-07 | 2026-03-03 | Kattenkamer',
    ],
  ],
  'English with units': [
    [
      'Ref no,Dog name,Species,M/F,Spay/Neuter (Y/N),Date of birth (MM/DD/YYYY),Weight (lbs),Date arrived,Kennel/Cage',
      '101,Scout,Dog,M,Y,04/05/2022,40,2026-02-01,R3',
      '102,Pepper,Dog,F,N,05/06/2023,22.5,2026-02-03,R4',
    ],
    [
      'Scout | 101 | available | dog | male | true | 2022-04-05 | 18144 | 2026-02-01 | R3',
      'Pepper | 102 | available | dog | female | false | 2023-05-06 | 10206 | 2026-02-03 | R4',
    ],
  ],
  'words of shelters that no program wrote': [
    [
      'Pet ID;Pet Name;Tierart;Geschl.;Kastr.;geb.;Status;Reason out;Zugang am',
      'H-1;Bello;Hund;Rüde;kastr.;Mai 2021;zu vermitteln;;01.02.2026',
      'H-2;Senta;Hündin;w;nicht bekannt;2019;Vet hold;;02.02.2026',
      'H-3;Igor;Kater;m;ja;März 2020;RTR;PTS;13.02.2026',
    ],
    [
      'Bello | H-1 | available | dog | male | true | 2021-05-01 | 2026-02-01',
      'Senta | H-2 | pending | dog | female | 2019-01-01 | 2026-02-02',
    ],
  ],
  'ages in years': [
    [
      'animal id,name,species,Age (yrs),Date in',
      'A1,Oreo,Cat,"2.5",2026-03-01',
      'A2,Domino,Cat,0.3,2026-03-01',
      'A3,Ace,Cat,11,2026-03-01',
    ],
    [
      'Oreo | A1 | available | cat | young | 2026-03-01',
      'Domino | A2 | available | cat | baby | 2026-03-01',
      'Ace | A3 | available | cat | senior | 2026-03-01',
    ],
  ],
};

test.each(Object.entries(SHEETS))('%s', async (_, [lines, animals]) => {
  expect((await imported(lines)).animals).toEqual(animals);
});

test('the days of one column tell the order of another', async () => {
  const { animals } = await imported([
    'name,species,DOB,intake date',
    'Nell,dog,03/04/2021,25/01/2026',
    'Tess,dog,05/04/2021,02/01/2026',
  ]);
  expect(animals).toEqual([
    'Nell | available | dog | 2021-04-03 | 2026-01-25',
    'Tess | available | dog | 2021-04-05 | 2026-01-02',
  ]);
});

test('columns that contradict each other tell nothing', async () => {
  const { summary, animals } = await imported([
    'name,species,DOB,intake date,outcome date',
    'Nell,dog,03/04/2021,25/01/2026,',
    'Tess,dog,05/04/2021,02/01/2026,',
    'Gone,dog,05/04/2021,02/01/2026,01/25/2026',
  ]);
  expect(animals[0]).toBe('Nell | available | dog | 2026-01-25');
  expect(summary).toContain('"03/04/2021"');
});

test('a name that stands for none is none, whatever the column is called', async () => {
  const path = workspace.path('sheet.csv');
  writeFileSync(path, 'name,species\nNULL,Dog\nn/a,Dog\nUnknown,Cat\nNullie,Cat\n');
  await workspace.run('import', path);
  expect((await workspace.animals()).map(({ name }) => name)).toEqual(['Nullie']);
});

test('a header about somebody else is no column of ours', async () => {
  const { animals, summary } = await imported([
    'pet name,Name (owner),species,Weight (owner),Phone (home)',
    'Nell,Jo Smith,dog,80,555',
  ]);
  expect(animals).toEqual([expect.stringMatching(/^Nell \| available \| dog \| \d{4}-\d\d-\d\d$/)]);
  expect(summary).toContain('Not used: Name (owner), Weight (owner), Phone (home).');
});

test('what nobody understands of how and when an animal came is counted with examples', async () => {
  const { summary } = await imported([
    'Animal Id,Name,Species,Intake Date,Intake Type,Outcome Date,Outcome Type',
    'W-1,Rex,Dog,2026-01-05,Stray,,',
    'W-2,Mia,Cat,soonish,By balloon,,',
    'W-3,Bo,Dog,2026-02-03,Toad crossing,,',
    'W-4,Al,Dog,2026-02-03,N/A,,',
  ]);
  expect(summary).toContain('--intake-type: 2 values, such as "By balloon", "Toad crossing"');
  expect(summary).toContain('--intake-date: 1 value, such as "soonish"');
});
