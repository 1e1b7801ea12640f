/** Draws the pictures of the sample animals in `examples/photos`: of our own, so that nobody has to be asked. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { launchBrowser } from '../support/browser.ts';

const FOLDER = join(import.meta.dir, '../../examples/photos');
const WIDTH = 960;
const HEIGHT = 720;
/** The files are smaller than what is drawn. */
const SCALE = 0.75;
const QUALITY = 0.78;

/** Coats: the fur, its darker and its lighter part, and the eyes. */
const COATS = {
  black: ['#2e2b2d', '#191719', '#4a4648', '#8a5a2b'],
  brown: ['#7a4d2c', '#51301a', '#b78353', '#6b3e17'],
  tan: ['#c99255', '#9a6635', '#ecd0a2', '#5a3618'],
  white: ['#ece6da', '#c9bfae', '#fffdf7', '#3d6f96'],
  grey: ['#85868d', '#5b5c64', '#b9bac1', '#a7a13c'],
  orange: ['#d68a42', '#a85f22', '#f6d3a4', '#8f9a2f'],
  cream: ['#e3cfa9', '#bfa577', '#faf0dc', '#57371c'],
  blue: ['#6a7684', '#47505c', '#98a3b0', '#b98d2f'],
} as const;
type Coat = keyof typeof COATS;

/** What is behind an animal, out of focus: the colours of the light, of the middle and of the ground. */
const PLACES = [
  ['#dcebd0', '#8fb573', '#5f8c4d'],
  ['#f4e3cb', '#d9ab7d', '#a06c48'],
  ['#d8e7f2', '#9db9cf', '#6f8ba3'],
  ['#f6dfd6', '#d99c8b', '#8f5750'],
  ['#efe9dc', '#c5b694', '#8d7c5b'],
  ['#e2ddef', '#a79bc4', '#6b5f8d'],
] as const;

interface Look {
  readonly kind: 'dog' | 'cat';
  readonly coat: Coat;
  readonly ears: 'pointed' | 'folded' | 'hanging';
  readonly mark: 'plain' | 'blaze' | 'mask' | 'tabby' | 'patch';
  readonly place: number;
  readonly turn: number;
}

const DOGS = (['black', 'brown', 'tan', 'white', 'grey', 'cream'] as const).flatMap((coat, n) =>
  (['hanging', 'folded', 'pointed'] as const).flatMap((ears, m) =>
    [0, 1].map((more): Look => {
      const mark =
        (['blaze', 'mask', 'patch', 'plain'] as const)[(n + m + 2 * more) % 4] ?? 'plain';
      const turn = ((n * 5 + m * 7 + more * 3) % 9) - 4;
      return { kind: 'dog', coat, ears, mark, place: n * 2 + m + more * 3, turn };
    }),
  ),
);
const CATS = (['black', 'orange', 'brown', 'grey', 'white', 'blue', 'cream'] as const).flatMap(
  (coat, n) =>
    (['tabby', 'blaze', 'plain'] as const).map((mark, m): Look => {
      const turn = ((n * 3 + m * 5) % 11) - 5;
      return { kind: 'cat', coat, ears: 'pointed', mark, place: n + m * 3 + 1, turn };
    }),
);

const mirrored = (half: string) => `${half}<g transform="translate(960 0) scale(-1 1)">${half}</g>`;

/** The parts of a face, in a square around 480, 360. */
function face({ kind, coat, ears, mark }: Look): string {
  const [fur, dark, light, eye] = COATS[coat];
  const isDog = kind === 'dog';
  const pale = mark === 'plain' ? light : coat === 'white' ? light : '#f3ece0';
  const head = isDog
    ? 'M480 150c-120 0-190 80-190 190 0 140 90 240 190 240s190-100 190-240c0-110-70-190-190-190z'
    : 'M480 190c-140 0-215 85-215 185 0 125 95 200 215 200s215-75 215-200c0-100-75-185-215-185z';
  const ear = {
    pointed: isDog
      ? `<path d="M320 270 290 70c-2-18 16-26 30-14l120 116z" fill="${fur}"/><path d="m335 215-18-115 78 80z" fill="#b98373" opacity=".7"/>`
      : `<path d="M285 330 268 120c-2-20 20-30 36-16l140 116z" fill="${fur}"/><path d="m303 258-10-108 86 74z" fill="#d29a8c" opacity=".75"/>`,
    folded: `<path d="M330 260c-40-60-50-130-20-160 40-20 100 30 130 80z" fill="${fur}"/><path d="M312 102c40 10 66 50 62 104-44-10-72-50-62-104z" fill="${dark}"/>`,
    hanging: `<path d="M390 175c-90-25-160 20-170 120-8 90 10 150 44 160 40 10 58-40 66-110 6-60 22-120 60-170z" fill="${dark}"/>`,
  }[ears];
  const eyeX = isDog ? 405 : 390;
  const eyeY = isDog ? 335 : 372;
  const eyes = mirrored(
    isDog
      ? `<ellipse cx="${eyeX}" cy="${eyeY}" rx="27" ry="25" fill="${dark}"/><circle cx="${eyeX}" cy="${eyeY}" r="20" fill="${eye}"/><circle cx="${eyeX}" cy="${eyeY}" r="13" fill="#0d0b0b"/>`
      : `<ellipse cx="${eyeX}" cy="${eyeY}" rx="38" ry="33" fill="${dark}"/><ellipse cx="${eyeX}" cy="${eyeY}" rx="32" ry="28" fill="${eye}"/><ellipse cx="${eyeX}" cy="${eyeY}" rx="11" ry="25" fill="#0d0b0b"/>`,
  );
  const lights = `<circle cx="${eyeX - 6}" cy="${eyeY - 8}" r="6" fill="#fff"/><circle cx="${954 - eyeX}" cy="${eyeY - 8}" r="6" fill="#fff"/>`;
  const muzzle = isDog
    ? `<path d="M480 370c-70 0-105 45-105 105 0 62 48 100 105 100s105-38 105-100c0-60-35-105-105-105z" fill="${mark === 'mask' ? dark : pale}"/>`
    : `<path d="M480 415c-62 0-98 30-98 72 0 46 46 74 98 74s98-28 98-74c0-42-36-72-98-72z" fill="${mark === 'plain' ? light : pale}"/>`;
  const nose = isDog
    ? `<path d="M440 420h80c22 0 28 20 16 36l-36 38c-10 10-30 10-40 0l-36-38c-12-16-6-36 16-36z" fill="#1c1718"/><ellipse cx="462" cy="434" rx="16" ry="6" fill="#6b6264"/>`
    : `<path d="M456 438h48c12 0 16 12 8 20l-20 20c-6 6-18 6-24 0l-20-20c-8-8-4-20 8-20z" fill="#c98579"/>`;
  const y = isDog ? 494 : 480;
  const mouth = `<path d="M480 ${y}v24c-4 24-40 26-56 6M480 ${y + 24}c4 24 40 26 56 6" fill="none" stroke="#2a2021" stroke-width="5" stroke-linecap="round"/>`;
  const marks = {
    plain: '',
    mask: '',
    blaze: `<path d="M480 160c-22 60-30 150-60 240h120c-30-90-38-180-60-240z" fill="${pale}"/>`,
    patch: `<ellipse cx="${eyeX}" cy="${eyeY - 4}" rx="72" ry="80" fill="${coat === 'white' ? '#6d4a33' : dark}"/>`,
    tabby: `<g fill="none" stroke="${dark}" stroke-width="14" stroke-linecap="round"><path d="M480 205v78M440 212l8 66M520 212l-8 66"/>${mirrored('<path d="M300 400l70 14M304 446l66 4"/>')}</g>`,
  }[mark];
  const whiskers = isDog
    ? ''
    : `<g stroke="#fff" stroke-width="3" opacity=".8">${mirrored('<path d="M410 490 240 462M410 502 236 504M414 514 252 546" fill="none"/>')}</g>`;
  return `${mirrored(ear)}<path d="${head}" fill="${fur}"/><path d="${head}" fill="url(#shade)"/>${marks}${muzzle}${eyes}${lights}${nose}${mouth}${whiskers}`;
}

/** A picture: light from the left, a place out of focus, the animal in front of it. */
function drawing(look: Look, seed: number): string {
  const [light, middle, ground] = PLACES[look.place % PLACES.length] ?? PLACES[0];
  const [fur, dark, pale] = COATS[look.coat];
  const spots = Array.from({ length: 14 }, (_, n) => {
    const [x, y, r] = [
      (seed * 131 + n * 197) % 960,
      (seed * 57 + n * 89) % 420,
      24 + ((n * 37) % 70),
    ];
    return `<circle cx="${x}" cy="${y}" r="${r}" fill="${n % 3 === 0 ? light : middle}" opacity=".55"/>`;
  }).join('');
  const chest = `<path d="M480 470c-150 0-260 110-280 270h560c-20-160-130-270-280-270z" fill="${fur}"/><path d="M480 540c-60 0-96 90-100 200h200c-4-110-40-200-100-200z" fill="${look.mark === 'plain' ? pale : '#f3ece0'}" opacity=".9"/>`;
  const collar = `<path d="M330 566c90 60 210 60 300 0l12 34c-100 66-224 66-324 0z" fill="${['#c0392b', '#2f6f9f', '#3d7a4a', '#d39b22'][seed % 4]}"/><circle cx="480" cy="648" r="17" fill="#e6c25a"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"><defs>
<linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop stop-color="${light}"/><stop offset=".62" stop-color="${middle}"/><stop offset=".63" stop-color="${ground}"/><stop offset="1" stop-color="${ground}"/></linearGradient>
<radialGradient id="shade" cx=".34" cy=".28" r=".85"><stop stop-color="#fff" stop-opacity=".28"/><stop offset=".5" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="${dark}" stop-opacity=".75"/></radialGradient>
<radialGradient id="edge"><stop offset=".62" stop-opacity="0"/><stop offset="1" stop-opacity=".32"/></radialGradient>
<filter id="far" x="-.1" y="-.1" width="1.2" height="1.2"><feGaussianBlur stdDeviation="22"/></filter>
<filter id="fur" x="-.2" y="-.2" width="1.4" height="1.4"><feTurbulence type="fractalNoise" baseFrequency=".09 .05" numOctaves="3" seed="${seed}" result="noise"/><feDisplacementMap in="SourceGraphic" in2="noise" scale="26" result="edge"/><feTurbulence type="fractalNoise" baseFrequency=".35 .07" numOctaves="2" seed="${seed + 9}"/><feColorMatrix values="0 0 0 0 0  0 0 0 0 0  0 0 0 0 0  .9 0 0 0 -.36"/><feComposite in2="edge" operator="in" result="hair"/><feMerge><feMergeNode in="edge"/><feMergeNode in="hair"/></feMerge></filter>
</defs><rect width="100%" height="100%" fill="url(#sky)"/><g filter="url(#far)">${spots}<ellipse cx="480" cy="700" rx="420" ry="90" fill="${ground}"/></g>
<g transform="translate(${(look.turn * 13) % 60} 24) rotate(${look.turn} 480 500)"><g filter="url(#fur)">${chest}</g>${collar}<g transform="translate(0 -20)"><g filter="url(#fur)">${face(look)}</g></g></g>
<rect width="100%" height="100%" fill="url(#edge)"/></svg>`;
}

await mkdir(FOLDER, { recursive: true });
const browser = await launchBrowser();
const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
const numbers = { dog: 0, cat: 0 };
for (const [n, look] of [...DOGS, ...CATS].entries()) {
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${drawing(look, n + 1)}`);
  const png = (await page.screenshot()).toString('base64');
  const webp = await page.evaluate<string>(
    `(async () => { const image = new Image(); image.src = 'data:image/png;base64,${png}'; await image.decode();
      const canvas = document.createElement('canvas'); canvas.width = ${WIDTH * SCALE}; canvas.height = ${HEIGHT * SCALE};
      const context = canvas.getContext('2d'); context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, canvas.width, canvas.height); return canvas.toDataURL('image/webp', ${QUALITY}); })()`,
  );
  numbers[look.kind] += 1;
  const name = `${look.kind}-${String(numbers[look.kind]).padStart(2, '0')}-${look.coat}.webp`;
  await Bun.write(join(FOLDER, name), Buffer.from(webp.split(',')[1] ?? '', 'base64'));
}
await browser.close();
process.exit(0);
