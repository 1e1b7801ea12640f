/** Outlines on a grid of 24 by 24. */
const PATHS = {
  overview: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  animals:
    'M12 12.5c3 0 5.5 3 5.5 5.4 0 1.8-1.4 2.6-2.8 2.6-1 0-1.7-.6-2.7-.6s-1.7.6-2.7.6c-1.4 0-2.8-.8-2.8-2.6 0-2.4 2.5-5.4 5.5-5.4zM5 9.5v2M9.5 4.5v3M14.5 4.5v3M19 9.5v2',
  adoptions:
    'M12 20s-7.5-4.6-7.5-10A4.3 4.3 0 0 1 12 7.3 4.3 4.3 0 0 1 19.5 10C19.5 15.4 12 20 12 20z',
  enquiries: 'M4 5h16v11H11l-5 4v-4H4zM8 9h8M8 12.500h5',
  shop: 'M4 10l1.500-6h13L20 10M5 10v10h14V10M10 20v-6h4v6M4 10h16',
  categories: 'M4 4h7l9 9-7 7-9-9zM8 8h.01',
  import: 'M12 4v11M7.5 10.5 12 15l4.5-4.500M4 17v3h16v-3',
  year: 'M4 6h16v14H4zM4 10h16M8 3v5M16 3v5',
  activity: 'M3 12h4l3-7 4 14 3-7h4',
  keys: 'M8 12a4 4 0 1 0 0 .01M11.5 12H21M18 12v4M14.5 12v3',
  people:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 20c0-4 3-6 6.500-6s6.500 2 6.500 6M16 4.500a3.500 3.500 0 0 1 0 6M18 14.500c2.300.8 3.500 2.800 3.500 5.500',
  channels: 'M4 12h10M10 8l4 4-4 4M16 4h4v16h-4',
  webhooks: 'M4 12a8 8 0 0 1 16 0M8 12a4 4 0 0 1 8 0M12 12v8M9 17l3 3 3-3',
  signOut: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  close: 'M6 6l12 12M18 6 6 18',
  add: 'M12 5v14M5 12h14',
  back: 'M14.500 6l-6 6 6 6',
  forward: 'M9.500 6l6 6-6 6',
  camera:
    'M4 8h3.500l1.500-2.500h6L16.500 8H20v11H4zM12 16.500a3.250 3.250 0 1 0 0-6.500 3.250 3.250 0 0 0 0 6.500z',
  more: 'M5.5 12a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0M11.5 12a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0M17.5 12a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0',
  warning: 'M12 4 2.5 20h19zM12 10v4M12 17h.01',
  offline:
    'M3 3l18 18M8.5 16a5 5 0 0 1 7 0M5 12.500a10 10 0 0 1 5-2.700M14 9.800a10 10 0 0 1 5 2.700M12 19.500h.01',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside a word. Screen readers pass over it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
