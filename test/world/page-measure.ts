import type { Page } from 'playwright-core';

/** The widths of windows at which pages are looked at, in pixels: phones, tablets held both ways, desks. */
export const WIDTHS = [...Array.from({ length: 26 }, (_, step) => 320 + 50 * step), 1600];

/**
 * What is wrong with the page as it is drawn now, each as one line. Runs in the browser.
 * - The page, or its dialog, scrolls sideways.
 * - A word of up to 14 characters is broken, or a longer one into pieces of fewer than five.
 * - A cell that names its row is narrower than 160 pixels, or than its row.
 * - Two texts are drawn over each other.
 * - A button is too small for its text, or of another height than the one beside it.
 * - What has the focus would be out of sight.
 */
const MEASURE = `(() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push('scrolls sideways by ' + (root.scrollWidth - root.clientWidth));
  const dialog = document.querySelector('dialog[open]');
  if (dialog && dialog.scrollWidth > dialog.clientWidth) found.push('a dialog scrolls sideways by ' + (dialog.scrollWidth - dialog.clientWidth));
  const hidden = (element) => (element.closest('thead')?.offsetHeight ?? 9) < 2 || element.closest('.visually-hidden, [hidden], svg, option, script, style, [popover]:not(:popover-open), .page-skip') ||
    !element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const floats = (element) => {
    for (let one = element; one; one = one.parentElement) {
      if (['fixed', 'sticky'].includes(getComputedStyle(one).position)) return true;
    }
    return false;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const boxes = [];
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || hidden(parent)) continue;
    const clips = getComputedStyle(parent).textOverflow === 'ellipsis';
    for (const { 0: word, index } of node.data.matchAll(/[^\\s\\u00ad-]+-?/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top / 4)));
      const isAddress = /[@/._]/.test(word);
      const least = word.length > 14 ? 5 : Infinity;
      if (!clips && !isAddress && lines.size > 1 && word.length / lines.size < least) {
        found.push('breaks ' + word + ' into ' + lines.size);
      }
    }
    range.selectNodeContents(node);
    if (clips || floats(parent)) continue;
    for (const box of range.getClientRects()) if (box.width > 1) boxes.push({ node, box });
  }
  boxes.sort((one, other) => one.box.top - other.box.top);
  for (const [index, { node, box }] of boxes.entries()) {
    for (let next = index + 1; next < boxes.length && boxes[next].box.top < box.bottom - 3; next++) {
      const other = boxes[next];
      const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const down = Math.min(box.bottom, other.box.bottom) - other.box.top;
      if (other.node !== node && across > 2 && down > 0.3 * Math.min(box.height, other.box.height)) {
        found.push('draws "' + node.data.trim().slice(0, 20) + '" over "' + other.node.data.trim().slice(0, 20) + '"');
      }
    }
  }
  const named = (button) => button.textContent.trim().slice(0, 20);
  for (const button of document.querySelectorAll('button, a, input, select')) {
    const { left, right, width, top, height } = button.getBoundingClientRect();
    if (hidden(button) && !button.matches('thead *') || width === 0) continue;
    if (!button.matches('[href^="#"]') && (right < 1 || left > innerWidth - 1)) found.push('leaves ' + named(button) + ' out of sight');
    if (button.matches('thead *') && button.closest('thead').offsetHeight < 2) found.push('hides ' + named(button));
    if (!button.matches('.button')) continue;
    if (getComputedStyle(button).webkitLineClamp === 'none' && button.scrollWidth > button.clientWidth + 1) found.push('cuts ' + named(button));
    const next = button.nextElementSibling;
    if (!next?.matches('.button')) continue;
    const beside = next.getBoundingClientRect();
    const isBeside = beside.left >= right && beside.top < top + height && beside.bottom > top;
    if (isBeside && Math.abs(beside.height - height) > 2) found.push('draws ' + named(button) + ' higher or lower than ' + named(next));
  }
  for (const cell of document.querySelectorAll('tbody th')) {
    if (hidden(cell)) continue;
    const { width } = cell.getBoundingClientRect();
    const row = cell.parentElement.clientWidth;
    if (width < Math.min(160, row - 60)) found.push('names a row within ' + Math.round(width) + ' of ' + row);
  }
  return [...new Set(found)];
})()`;

/** Looks at a page at every width and with texts of twice the size. Returns what is wrong, with where. */
export async function wrongAtWidths(
  page: Page,
  widths: readonly number[] = WIDTHS,
): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const found: string[] = [];
  for (const percent of [100, 200]) {
    // What a person sets in the browser. Lengths in rem and media queries follow it.
    const size = (16 * percent) / 100;
    await session.send('Page.setFontSizes', { fontSizes: { standard: size, fixed: size } });
    // Text of twice the size has ten letters a line on the smallest phones: words break there.
    for (const width of widths.filter((one) => percent === 100 || one >= 520)) {
      await page.setViewportSize({ width, height: 900 });
      const wrong = await page.evaluate<string[]>(MEASURE);
      found.push(...wrong.map((line) => `${width} px, ${percent} %: ${line}`));
    }
  }
  await session.send('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } });
  await session.detach();
  return found;
}
