/** The pages, in the order of the navigation. */
import type { ComponentType } from 'preact';
import type { IconName } from './components/icon.tsx';
import type { Scope } from './session.ts';

/** A page of the console. Its code is loaded when it is first shown. */
export interface PageEntry {
  readonly path: string;
  /** Whether it shows one record of the list at its path, which is what the navigation leads to. */
  readonly isInner?: boolean;
  /** Whether the navigation leaves it out: something else leads to it. */
  readonly isUnlisted?: boolean;
  readonly name: string;
  readonly icon: IconName;
  /** The scope without which the page is not shown. */
  readonly needs?: Scope;
  load(): Promise<{ readonly default: ComponentType }>;
}

/** Names the icon `animals` and the page `Animals`. */
function page(path: string, icon: IconName, load: PageEntry['load'], needs?: Scope): PageEntry {
  const name = icon.charAt(0).toUpperCase() + icon.slice(1);
  return { path: `/console${path}`, name, icon, load, ...(needs && { needs }) };
}

export const PAGES: readonly PageEntry[] = [
  page('', 'overview', () => import('./pages/overview/page.tsx')),
  page('/animals', 'animals', () => import('./pages/animals/page.tsx')),
  { ...page('/animals', 'animals', () => import('./pages/animal/page.tsx')), isInner: true },
  page('/adoptions', 'adoptions', () => import('./pages/adoptions/page.tsx')),
  page('/enquiries', 'enquiries', () => import('./pages/enquiries/page.tsx'), 'write'),
  page('/categories', 'categories', () => import('./pages/categories/page.tsx')),
  page('/import', 'import', () => import('./pages/import/page.tsx'), 'write'),
  page('/shop', 'shop', () => import('./pages/shop/page.tsx')),
  page('/year', 'year', () => import('./pages/year/page.tsx'), 'write'),
  page('/activity', 'activity', () => import('./pages/activity/page.tsx')),
  page('/keys', 'keys', () => import('./pages/keys/page.tsx'), 'admin'),
  page('/people', 'people', () => import('./pages/people/page.tsx'), 'admin'),
  page('/channels', 'channels', () => import('./pages/channels/page.tsx'), 'admin'),
  page('/webhooks', 'webhooks', () => import('./pages/webhooks/page.tsx'), 'admin'),
  { ...page('/account', 'people', () => import('./pages/account/page.tsx')), isUnlisted: true },
];
