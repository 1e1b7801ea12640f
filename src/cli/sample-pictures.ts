/** The pictures of the sample animals: drawn by `test/pictures/animals.ts`. */
import cat01 from '../../examples/photos/cat-01-black.webp' with { type: 'file' };
import cat02 from '../../examples/photos/cat-02-black.webp' with { type: 'file' };
import cat03 from '../../examples/photos/cat-03-black.webp' with { type: 'file' };
import cat04 from '../../examples/photos/cat-04-orange.webp' with { type: 'file' };
import cat05 from '../../examples/photos/cat-05-orange.webp' with { type: 'file' };
import cat06 from '../../examples/photos/cat-06-orange.webp' with { type: 'file' };
import cat07 from '../../examples/photos/cat-07-brown.webp' with { type: 'file' };
import cat08 from '../../examples/photos/cat-08-brown.webp' with { type: 'file' };
import cat09 from '../../examples/photos/cat-09-brown.webp' with { type: 'file' };
import cat10 from '../../examples/photos/cat-10-grey.webp' with { type: 'file' };
import cat11 from '../../examples/photos/cat-11-grey.webp' with { type: 'file' };
import cat12 from '../../examples/photos/cat-12-grey.webp' with { type: 'file' };
import cat13 from '../../examples/photos/cat-13-white.webp' with { type: 'file' };
import cat14 from '../../examples/photos/cat-14-white.webp' with { type: 'file' };
import cat15 from '../../examples/photos/cat-15-white.webp' with { type: 'file' };
import cat16 from '../../examples/photos/cat-16-blue.webp' with { type: 'file' };
import cat17 from '../../examples/photos/cat-17-blue.webp' with { type: 'file' };
import cat18 from '../../examples/photos/cat-18-blue.webp' with { type: 'file' };
import cat19 from '../../examples/photos/cat-19-cream.webp' with { type: 'file' };
import cat20 from '../../examples/photos/cat-20-cream.webp' with { type: 'file' };
import cat21 from '../../examples/photos/cat-21-cream.webp' with { type: 'file' };
import dog01 from '../../examples/photos/dog-01-black.webp' with { type: 'file' };
import dog02 from '../../examples/photos/dog-02-black.webp' with { type: 'file' };
import dog03 from '../../examples/photos/dog-03-black.webp' with { type: 'file' };
import dog04 from '../../examples/photos/dog-04-black.webp' with { type: 'file' };
import dog05 from '../../examples/photos/dog-05-black.webp' with { type: 'file' };
import dog06 from '../../examples/photos/dog-06-black.webp' with { type: 'file' };
import dog07 from '../../examples/photos/dog-07-brown.webp' with { type: 'file' };
import dog08 from '../../examples/photos/dog-08-brown.webp' with { type: 'file' };
import dog09 from '../../examples/photos/dog-09-brown.webp' with { type: 'file' };
import dog10 from '../../examples/photos/dog-10-brown.webp' with { type: 'file' };
import dog11 from '../../examples/photos/dog-11-brown.webp' with { type: 'file' };
import dog12 from '../../examples/photos/dog-12-brown.webp' with { type: 'file' };
import dog13 from '../../examples/photos/dog-13-tan.webp' with { type: 'file' };
import dog14 from '../../examples/photos/dog-14-tan.webp' with { type: 'file' };
import dog15 from '../../examples/photos/dog-15-tan.webp' with { type: 'file' };
import dog16 from '../../examples/photos/dog-16-tan.webp' with { type: 'file' };
import dog17 from '../../examples/photos/dog-17-tan.webp' with { type: 'file' };
import dog18 from '../../examples/photos/dog-18-tan.webp' with { type: 'file' };
import dog19 from '../../examples/photos/dog-19-white.webp' with { type: 'file' };
import dog20 from '../../examples/photos/dog-20-white.webp' with { type: 'file' };
import dog21 from '../../examples/photos/dog-21-white.webp' with { type: 'file' };
import dog22 from '../../examples/photos/dog-22-white.webp' with { type: 'file' };
import dog23 from '../../examples/photos/dog-23-white.webp' with { type: 'file' };
import dog24 from '../../examples/photos/dog-24-white.webp' with { type: 'file' };
import dog25 from '../../examples/photos/dog-25-grey.webp' with { type: 'file' };
import dog26 from '../../examples/photos/dog-26-grey.webp' with { type: 'file' };
import dog27 from '../../examples/photos/dog-27-grey.webp' with { type: 'file' };
import dog28 from '../../examples/photos/dog-28-grey.webp' with { type: 'file' };
import dog29 from '../../examples/photos/dog-29-grey.webp' with { type: 'file' };
import dog30 from '../../examples/photos/dog-30-grey.webp' with { type: 'file' };
import dog31 from '../../examples/photos/dog-31-cream.webp' with { type: 'file' };
import dog32 from '../../examples/photos/dog-32-cream.webp' with { type: 'file' };
import dog33 from '../../examples/photos/dog-33-cream.webp' with { type: 'file' };
import dog34 from '../../examples/photos/dog-34-cream.webp' with { type: 'file' };
import dog35 from '../../examples/photos/dog-35-cream.webp' with { type: 'file' };
import dog36 from '../../examples/photos/dog-36-cream.webp' with { type: 'file' };

const FILES: readonly string[] = [
  ...[cat01, cat02, cat03, cat04, cat05, cat06, cat07, cat08, cat09, cat10, cat11],
  ...[cat12, cat13, cat14, cat15, cat16, cat17, cat18, cat19, cat20, cat21, dog01],
  ...[dog02, dog03, dog04, dog05, dog06, dog07, dog08, dog09, dog10, dog11, dog12],
  ...[dog13, dog14, dog15, dog16, dog17, dog18, dog19, dog20, dog21, dog22, dog23],
  ...[dog24, dog25, dog26, dog27, dog28, dog29, dog30, dog31, dog32, dog33, dog34],
  ...[dog35, dog36],
];

/** Each with the species and the coat that its name says, which an executable keeps at the start of its own names. */
export const SAMPLE_PICTURES = FILES.map((file) => {
  const [, species, coat] = /\b(dog|cat)-\d\d-([a-z]+)[^/]*$/.exec(file) ?? [];
  return { file, species, coat };
});
