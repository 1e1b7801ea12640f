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

interface SamplePicture {
  readonly species: 'dog' | 'cat';
  readonly coat: string;
  readonly file: string;
}

export const SAMPLE_PICTURES: readonly SamplePicture[] = [
  { species: 'cat', coat: 'black', file: cat01 },
  { species: 'cat', coat: 'black', file: cat02 },
  { species: 'cat', coat: 'black', file: cat03 },
  { species: 'cat', coat: 'orange', file: cat04 },
  { species: 'cat', coat: 'orange', file: cat05 },
  { species: 'cat', coat: 'orange', file: cat06 },
  { species: 'cat', coat: 'brown', file: cat07 },
  { species: 'cat', coat: 'brown', file: cat08 },
  { species: 'cat', coat: 'brown', file: cat09 },
  { species: 'cat', coat: 'grey', file: cat10 },
  { species: 'cat', coat: 'grey', file: cat11 },
  { species: 'cat', coat: 'grey', file: cat12 },
  { species: 'cat', coat: 'white', file: cat13 },
  { species: 'cat', coat: 'white', file: cat14 },
  { species: 'cat', coat: 'white', file: cat15 },
  { species: 'cat', coat: 'blue', file: cat16 },
  { species: 'cat', coat: 'blue', file: cat17 },
  { species: 'cat', coat: 'blue', file: cat18 },
  { species: 'cat', coat: 'cream', file: cat19 },
  { species: 'cat', coat: 'cream', file: cat20 },
  { species: 'cat', coat: 'cream', file: cat21 },
  { species: 'dog', coat: 'black', file: dog01 },
  { species: 'dog', coat: 'black', file: dog02 },
  { species: 'dog', coat: 'black', file: dog03 },
  { species: 'dog', coat: 'black', file: dog04 },
  { species: 'dog', coat: 'black', file: dog05 },
  { species: 'dog', coat: 'black', file: dog06 },
  { species: 'dog', coat: 'brown', file: dog07 },
  { species: 'dog', coat: 'brown', file: dog08 },
  { species: 'dog', coat: 'brown', file: dog09 },
  { species: 'dog', coat: 'brown', file: dog10 },
  { species: 'dog', coat: 'brown', file: dog11 },
  { species: 'dog', coat: 'brown', file: dog12 },
  { species: 'dog', coat: 'tan', file: dog13 },
  { species: 'dog', coat: 'tan', file: dog14 },
  { species: 'dog', coat: 'tan', file: dog15 },
  { species: 'dog', coat: 'tan', file: dog16 },
  { species: 'dog', coat: 'tan', file: dog17 },
  { species: 'dog', coat: 'tan', file: dog18 },
  { species: 'dog', coat: 'white', file: dog19 },
  { species: 'dog', coat: 'white', file: dog20 },
  { species: 'dog', coat: 'white', file: dog21 },
  { species: 'dog', coat: 'white', file: dog22 },
  { species: 'dog', coat: 'white', file: dog23 },
  { species: 'dog', coat: 'white', file: dog24 },
  { species: 'dog', coat: 'grey', file: dog25 },
  { species: 'dog', coat: 'grey', file: dog26 },
  { species: 'dog', coat: 'grey', file: dog27 },
  { species: 'dog', coat: 'grey', file: dog28 },
  { species: 'dog', coat: 'grey', file: dog29 },
  { species: 'dog', coat: 'grey', file: dog30 },
  { species: 'dog', coat: 'cream', file: dog31 },
  { species: 'dog', coat: 'cream', file: dog32 },
  { species: 'dog', coat: 'cream', file: dog33 },
  { species: 'dog', coat: 'cream', file: dog34 },
  { species: 'dog', coat: 'cream', file: dog35 },
  { species: 'dog', coat: 'cream', file: dog36 },
];
