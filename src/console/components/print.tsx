/** Printing something else than the page: sheets that are there for the printer only. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

const sheets = signal<ComponentChildren>(undefined);

/** Prints sheets once their pictures are loaded. */
export async function printSheets(content: ComponentChildren): Promise<void> {
  sheets.value = content;
  await new Promise(requestAnimationFrame);
  const pictures = [...document.querySelectorAll<HTMLImageElement>('.print-sheets img')];
  // A picture that is not there is no reason not to print.
  await Promise.allSettled(pictures.map((picture) => picture.decode()));
  const clear = () => {
    sheets.value = undefined;
  };
  addEventListener('afterprint', clear, { once: true });
  print();
}

/** The place for sheets. While there are some, they are all that is printed. */
export function PrintedSheets() {
  return sheets.value && <div class="print-sheets">{sheets.value}</div>;
}
