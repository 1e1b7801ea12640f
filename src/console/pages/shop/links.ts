/** The links of the shop, as people write them: one a line, `Volunteer with us https://…`. */

import { ADDRESS_PATTERN } from '../../../domain/profile.ts';
import { LINK_LABEL_MAX, SHOP_LINKS_MAX, type ShopLink } from '../../../domain/shop.ts';
import { t } from '../../language.ts';

const LINE = /^(\S.*?)\s+(\S+)$/;
const ADDRESS = new RegExp(ADDRESS_PATTERN);

/** Returns links as text. */
export function linksText(links: readonly ShopLink[] | null): string {
  return (links ?? []).map(({ label, url }) => `${label} ${url}`).join('\n');
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Returns the links in a text; null if there are none. */
export function linksOf(text: string): readonly ShopLink[] | null {
  const links = linesOf(text).map((line) => {
    const [, label = line, url = ''] = LINE.exec(line) ?? [];
    return { label, url };
  });
  return links.length === 0 ? null : links;
}

/** Returns what is wrong with a text of links, in words for the person. */
export function linksProblem(text: string): string | undefined {
  const links = linksOf(text) ?? [];
  if (links.length > SHOP_LINKS_MAX) return t`Enter at most ${SHOP_LINKS_MAX} links.`;
  const long = links.find(({ label }) => [...label].length > LINK_LABEL_MAX);
  if (long) return t`“${long.label}” is too long: at most ${LINK_LABEL_MAX} characters.`;
  const wrong = links.find(({ url }) => !ADDRESS.test(url));
  return (
    wrong && t`“${wrong.label}” needs an address that starts with https:// at the end of its line.`
  );
}
