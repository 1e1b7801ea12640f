/** How a photo is shown. */
import type { Photo } from '../../service.ts';

/** Returns the path of a file of a photo: the page loads nothing from another host. */
export function photoAddress({ urls }: Photo, size: keyof Photo['urls']): string {
  return new URL(urls[size], location.href).pathname;
}

/** Keeps the point in sight that matters, where a photo is cut. */
export function focusStyle({ x, y }: Photo['focus']): { style: { objectPosition: string } } {
  return { style: { objectPosition: `${x * 100}% ${y * 100}%` } };
}
