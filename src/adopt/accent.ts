/** The colour of a shop, changed until text can be read on it and in it (WCAG 2.2: a contrast of 4.5). */

type Rgb = readonly [red: number, green: number, blue: number];

const CONTRAST_MIN = 4.6;
const STEP = 0.04;
const LIGHT_GROUND: Rgb = [247, 247, 249];
const DARK_GROUND: Rgb = [36, 36, 43];
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [17, 17, 20];
export const ACCENT = '#0b62b8';

function rgbOf(colour: string): Rgb {
  const bits = Number.parseInt(colour.slice(1), 16);
  return [bits >> 16, (bits >> 8) & 0xff, bits & 0xff];
}

const textOf = (colour: Rgb) =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Moves a colour towards black or white until it can be read on a ground. */
function readable(colour: Rgb, ground: Rgb, towards: Rgb): Rgb {
  for (let share = 0; share < 1; share += STEP) {
    const mixed = colour.map((part, n) => part + ((towards[n] ?? 0) - part) * share);
    const rounded = rgbOf(textOf(mixed as unknown as Rgb));
    if (contrast(rounded, ground) >= CONTRAST_MIN) return rounded;
  }
  return towards;
}

/** The colour of links and buttons, and that of the text in a button, as `#rrggbb`. */
export interface Accent {
  readonly accent: string;
  readonly onAccent: string;
}

function accentOn(ground: Rgb, colour: string, towards: Rgb): Accent {
  const accent = readable(rgbOf(colour), ground, towards);
  const onAccent = contrast(accent, WHITE) >= contrast(accent, BLACK) ? WHITE : BLACK;
  return { accent: textOf(accent), onAccent: textOf(onAccent) };
}

/** Returns the colour of a shop as light and dark pages show it. */
export function accentsOf(colour: string): Readonly<Record<'light' | 'dark', Accent>> {
  return {
    light: accentOn(LIGHT_GROUND, colour, [0, 0, 0]),
    dark: accentOn(DARK_GROUND, colour, WHITE),
  };
}

const variables = ({ accent, onAccent }: Accent) =>
  `:root{--accent:${accent};--on-accent:${onAccent}}`;

/** Returns the styles with the colour of a shop, for light and dark pages. */
export function accentStyles(colour: string): string {
  const { light, dark } = accentsOf(colour);
  return `${variables(light)}@media screen and (prefers-color-scheme:dark){${variables(dark)}}`;
}
