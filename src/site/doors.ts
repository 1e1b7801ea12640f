import type { HttpResponse } from '../http/response.ts';
import { FOOTER } from './guides.ts';
import { htmlPage } from './layout.ts';

/** Where people go from the first page: the address, what it is, and for whom. */
type Door = readonly [path: string, name: string, forWhom: string];

const ANIMALS: Door = [
  '/adopt',
  'See the animals',
  'Everybody who is looking for a home, for everybody who has one to give.',
];
const DOORS: readonly Door[] = [
  [
    '/console',
    'Work here',
    'The console: animals, adoptions, enquiries and the shop, for the people of the shelter.',
  ],
  [
    '/docs/guides',
    'Build with it',
    'Guides, reference and clients, for authors of pages and programs.',
  ],
];

/** Renders the first page. The public pages may be turned off. */
export function doorsPage(hasPublicPages: boolean): HttpResponse {
  const doors = hasPublicPages ? [ANIMALS, ...DOORS] : DOORS;
  const items = doors.map(
    ([path, name, forWhom]) => `<li><h2><a href="${path}">${name}</a></h2>\n<p>${forWhom}</p></li>`,
  );
  return htmlPage({
    path: '/',
    title: 'Petstore',
    stylesheets: ['doors.css'],
    main: `<main class="doors" id="main" tabindex="-1">
<h1>Welcome</h1>
<ul>
${items.join('\n')}
</ul>
${FOOTER}
</main>`,
    policy: ["script-src 'self'", "style-src 'self'"],
  });
}
