/** The pages, in the order of the navigation. */
import type { ComponentType } from 'preact';
import type { IconName } from './components/icon.tsx';
import type { Scope } from './session.ts';

/** A page of the console. Its code is loaded when it is first shown. */
export interface PageEntry {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  /** The scope without which the page is not shown. */
  readonly needs?: Scope;
  load(): Promise<{ readonly default: ComponentType }>;
}

export const PAGES: readonly PageEntry[] = [
  {
    ...{ path: '/console', name: 'Overview', icon: 'overview' },
    load: () => import('./pages/overview/page.tsx'),
  },
  {
    ...{ path: '/console/animals', name: 'Animals', icon: 'animals' },
    load: () => import('./pages/animals/page.tsx'),
  },
  {
    ...{ path: '/console/adoptions', name: 'Adoptions', icon: 'adoptions' },
    load: () => import('./pages/adoptions/page.tsx'),
  },
  {
    ...{ path: '/console/categories', name: 'Categories', icon: 'categories' },
    load: () => import('./pages/categories/page.tsx'),
  },
  {
    ...{ path: '/console/import', name: 'Import', icon: 'import' },
    load: () => import('./pages/import/page.tsx'),
  },
  {
    ...{ path: '/console/activity', name: 'Activity', icon: 'activity' },
    load: () => import('./pages/activity/page.tsx'),
  },
  {
    ...{ path: '/console/keys', name: 'Keys', icon: 'keys', needs: 'admin' },
    load: () => import('./pages/keys/page.tsx'),
  },
  {
    ...{ path: '/console/webhooks', name: 'Webhooks', icon: 'webhooks', needs: 'admin' },
    load: () => import('./pages/webhooks/page.tsx'),
  },
];
