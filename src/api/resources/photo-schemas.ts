import * as z from 'zod';
import { ALT_MAX, PHOTOS_MAX, type Photo, photoFileNames } from '../../domain/photo.ts';
import {
  nameInBody,
  orRequired,
  shareInBody,
  wholeNumberInBody,
} from '../contract/request-fields.ts';
import { assignedIdOut, nameOut, recordOut } from '../contract/response-fields.ts';

const ALT = 'What it shows, for those who do not see it.';
const POSITION =
  'Its place among the photos of the animal, from 1. The first one stands for the animal.';
const FOCUS = 'What must stay visible where the photo is cut, in parts of its width and height.';
const FOCUS_X = 'From the left edge.';
const FOCUS_Y = 'From the top.';

/** The alternative text of a photo to add. */
export const altInQuery = nameInBody(ALT, ALT_MAX)
  .optional()
  .meta({ description: ALT, param: { example: 'A brown dog lies in the grass and looks up.' } });

export const photoChangeSchema = z
  .object({
    alt: nameInBody(ALT, ALT_MAX)
      .nullable()
      .optional()
      .meta({ description: `${ALT} \`null\` removes it.` }),
    position: wholeNumberInBody(
      `${POSITION} The others make room; beyond the last place means the last.`,
      1,
      1_000,
    ).optional(),
    focus: z
      .object(
        { x: shareInBody(FOCUS_X), y: shareInBody(FOCUS_Y) },
        { error: orRequired('must be an object with x and y') },
      )
      .optional()
      .meta({ description: FOCUS }),
  })
  .meta({ id: 'PhotoChange', description: 'The changes to make to a photo.' });

const shareOut = (description: string) => z.number().min(0).max(1).meta({ description });
export const pixelsOut = (description: string) =>
  z.int().min(1).max(2_048).meta({ description, format: 'int32' });

const focusOut = recordOut('PhotoFocus', FOCUS, () => ({
  x: shareOut(FOCUS_X),
  y: shareOut(FOCUS_Y),
}));

const photoFields = () => ({
  id: assignedIdOut('Unique identifier assigned by the service when the photo is added.'),
  alt: nameOut(`${ALT} \`null\` if nobody said so.`, ALT_MAX).nullable(),
  position: z.int().min(1).max(PHOTOS_MAX).meta({ description: POSITION, format: 'int32' }),
  focus: focusOut,
  width: pixelsOut('The width of the largest file, in pixels.'),
  height: pixelsOut('The height of the largest file, in pixels.'),
});

/** A photo without the addresses of its files, as events have it. */
export const photoPublicSchema = recordOut(
  'PublicPhoto',
  'A photo of an animal, without its addresses.',
  photoFields,
);

export const photoUrlOut = (description: string) =>
  z.url({ protocol: /^https?$/ }).meta({ description, maxLength: 2_048 });

const urlsOut = recordOut(
  'PhotoUrls',
  'The addresses of its files. What they hold never changes. None is larger than the photo that was sent, so several may be one. They need no key while the animal is listed.',
  () => ({
    small: photoUrlOut('WebP of at most 320 pixels in width.'),
    medium: photoUrlOut('WebP of at most 640 pixels in width.'),
    large: photoUrlOut('WebP of at most 1,280 pixels in width.'),
    jpeg: photoUrlOut('JPEG of at most 1,280 pixels in width.'),
    full: photoUrlOut('JPEG of at most 2,048 pixels in width and height: the largest there is.'),
  }),
);

export const photoSchema = recordOut('Photo', 'A photo of an animal.', () => ({
  ...photoFields(),
  urls: urlsOut,
}));

export const photosSchema = z.lazy(() =>
  z
    .array(photoSchema)
    .max(PHOTOS_MAX)
    .meta({ id: 'Photos', description: 'The photos of an animal, in their order.' }),
);

type PublicPhoto = Pick<Photo, 'alt' | 'position' | 'focus' | 'width' | 'height'> & {
  readonly id: bigint | number;
};

/** Returns a photo without the addresses of its files. */
export function publicPhotoValue({ id, alt, position, focus, width, height }: PublicPhoto) {
  const { x, y } = focus;
  return { id, alt: alt === '' ? null : alt, position, focus: { x, y }, width, height };
}

/** Returns a photo; its files are served beside the interface. */
export function photoValue(photo: Photo, baseUrl: string) {
  const root = baseUrl.replace(/v1$/, 'photos/');
  const { small, medium, large, jpeg, full } = photoFileNames(photo);
  const urls = {
    small: root + small,
    medium: root + medium,
    large: root + large,
    jpeg: root + jpeg,
    full: root + full,
  };
  return { ...publicPhotoValue(photo), urls };
}
