import { Html } from './html.ts';

/** Drawn with lines in a square of 24. The words beside them say the same. */
const PATHS = {
  species:
    'M12 13c3 0 6 3 6 5.5 0 1.5-1 2.5-2.5 2.5-1.2 0-2-.7-3.5-.7s-2.3.7-3.5.7C7 21 6 20 6 18.5 6 16 9 13 12 13zM5 10v1.5M9.5 5v2M14.5 5v2M19 10v1.5',
  sex: 'M12 14a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM12 14v7M9 18h6',
  age: 'M4 6h16v14H4zM4 10h16M8 3v5M16 3v5',
  size: 'M3 8h18v8H3zM7 8v3M11 8v4M15 8v3M19 8v4',
  weight: 'M5 9h14l2 11H3zM12 9a3 3 0 1 0-3-3M12 9a3 3 0 0 0 3-3',
  coat: 'M12 3c4 5 6 8 6 11a6 6 0 0 1-12 0c0-3 2-6 6-11z',
  energy: 'M13 3 5 14h6l-1 7 9-12h-6z',
  dogs: 'M5 9 3 5l5 1h8l5-1-2 4v6l-4 5H9l-4-5zM9 11v1M15 11v1M11 15h2',
  cats: 'M4 4l4 4h8l4-4v10l-5 6H9l-5-6zM9 12v1M15 12v1M11 16h2',
  children: 'M12 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6 12h12M12 11v5M12 16l-3 6M12 16l3 6',
  neutered:
    'M6 4l12 14M18 4 6 18M5 21a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM19 21a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  vaccinated: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-5',
  houseTrained: 'M3 12l9-8 9 8M6 10v10h12V10M10 20v-6h4v6',
  specialNeeds: 'M12 20C5 15 3 12 3 8.5A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 9 1.5C21 12 19 15 12 20z',
  fee: 'M3 12V4h8l10 10-8 8zM7.5 8.5v.1',
  telephone:
    'M6 3h3l2 5-2 2a12 12 0 0 0 5 5l2-2 5 2v3a2 2 0 0 1-2 2A16 16 0 0 1 4 5a2 2 0 0 1 2-2z',
  inCare: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 3',
};
export type Icon = keyof typeof PATHS;

/** Draws an icon. */
export function icon(name: Icon): Html {
  return new Html(
    `<svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="${PATHS[name]}"/></svg>`,
  );
}
