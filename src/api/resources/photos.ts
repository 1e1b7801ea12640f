import * as z from 'zod';
import {
  type NewPhoto,
  PHOTO_BYTES_MAX,
  type Photo,
  refuseTelephoneFormat,
  tooManyPhotos,
} from '../../domain/photo.ts';
import type { Upload } from '../../domain/upload.ts';
import { changes, creating, removes, removing, showing, shows } from '../contract/bodies.ts';
import {
  defineOperation,
  Missing,
  operationsNamed,
  type UploadDefinition,
} from '../contract/operation.ts';
import { requireMatch } from '../contract/precondition.ts';
import { int64InPath } from '../contract/request-fields.ts';
import { NO_SUCH_PET } from './pets.ts';
import {
  altInQuery,
  photoChangeSchema,
  photoSchema,
  photosSchema,
  photoValue,
} from './photo-schemas.ts';

/** The file of a photo, as requests send it. */
export const PHOTO_UPLOAD = {
  kind: 'photos',
  examples: { 'image/jpeg': undefined, 'image/png': undefined, 'image/webp': undefined },
  bytesMax: PHOTO_BYTES_MAX,
  description:
    'A JPEG, PNG or WebP file of at most 20 MiB. Its bytes decide what it is, whatever its type says; of a form, only the file counts. HEIC and AVIF are not taken: send a JPEG instead.',
  refused: refuseTelephoneFormat,
} satisfies UploadDefinition;

const NO_SUCH_PHOTO = new Missing('photo_not_found', 'photo');

const EXAMPLE: Photo = {
  id: 7n,
  petId: 28n,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  width: 2_048,
  height: 1_536,
  alt: 'A brown dog lies in the grass and looks up.',
  position: 1,
  focus: { x: 0.5, y: 0.5 },
};
const EXAMPLE_BASE = 'https://petstore.example.com/v1';
export const EXAMPLE_VALUE = photoValue(EXAMPLE, EXAMPLE_BASE);
const ONE = {
  pathParameters: z.object({
    petId: int64InPath('Id of the animal.'),
    photoId: int64InPath('Id of the photo.'),
  }),
  missing: NO_SUCH_PHOTO,
};
const COLLECTION = {
  path: '/pets/{petId}/photos',
  pathParameters: z.object({ petId: int64InPath('Id of the animal.') }),
  missing: NO_SUCH_PET,
};
const COMMON = { stability: 'experimental', tag: 'Photos' } as const;

/** What was made of the uploads of the requests under way. */
const taken = new WeakMap<Upload, Omit<NewPhoto, 'alt'>>();

export const photoOperations = operationsNamed({
  listPhotos: defineOperation({
    ...COMMON,
    ...COLLECTION,
    method: 'GET',
    access: 'read',
    summary: 'List the photos of an animal',
    description: 'Lists the photos of an animal in their order, at most 12.',
    success: shows('The photos.', photosSchema, [EXAMPLE_VALUE]),
    async handle({ path }, { storage, baseUrl }) {
      const photos = await storage.photos.list(path.petId);
      return { value: NO_SUCH_PET.orThrow(photos).map((photo) => photoValue(photo, baseUrl)) };
    },
  }),
  addPhoto: defineOperation({
    ...COMMON,
    ...COLLECTION,
    method: 'POST',
    access: 'write',
    summary: 'Add a photo',
    description:
      'Adds a photo at the end. The body is the file itself, or a form (`multipart/form-data`) with it. The service decodes it, turns it upright and encodes it in several sizes. Only the pixels are kept, so no metadata such as the location. The same file again returns the photo that is there already. An animal has at most 12 photos, of at most 40 million pixels and 30,000 along an edge.',
    queryParameters: z.object({ alt: altInQuery }),
    upload: PHOTO_UPLOAD,
    success: {
      status: 201,
      description: 'Photo added.',
      unchanged: 'The animal has the same photo already.',
      schema: photoSchema,
      example: EXAMPLE_VALUE,
      headers: ['Location', 'ETag'],
    },
    failures: { conflict: tooManyPhotos(28n).message },
    async prepare({ path, caller, upload }, { storage, photos }) {
      if (upload === undefined) throw new Error('a photo has no file');
      // Decoding is the expensive part.
      NO_SUCH_PET.orThrow(await storage.photos.list(path.petId));
      taken.set(upload, await photos.take(upload, caller.familyId));
    },
    async handle({ path, query, stamp, upload }, { storage, baseUrl }) {
      const file = upload && taken.get(upload);
      if (file === undefined) throw new Error('a photo was not decoded');
      const { petId } = path;
      const added = await storage.photos.add(petId, { ...file, alt: query.alt ?? '' }, stamp);
      const { photo, isNew } = NO_SUCH_PET.orThrow(added);
      const result = creating(`${baseUrl}/pets/${petId}/photos`, photoValue(photo, baseUrl));
      return isNew ? result : { ...result, status: 200 };
    },
  }),
  getPhoto: defineOperation({
    ...COMMON,
    ...ONE,
    method: 'GET',
    path: '/pets/{petId}/photos/{photoId}',
    access: 'read',
    summary: 'Get a photo',
    description: 'Returns a single photo by id: its facts and the addresses of its files.',
    success: shows('The requested photo.', photoSchema, EXAMPLE_VALUE),
    handle: ({ path: { petId, photoId } }, { storage, baseUrl }) =>
      showing(NO_SUCH_PHOTO, storage.photos.find(petId, photoId), (photo) =>
        photoValue(photo, baseUrl),
      ),
  }),
  updatePhoto: defineOperation({
    ...COMMON,
    ...ONE,
    method: 'PATCH',
    path: '/pets/{petId}/photos/{photoId}',
    access: 'write',
    summary: 'Change a photo',
    description:
      'Changes the alternative text of a photo, its place or its focus, and leaves the others as they are (JSON merge patch, RFC 7396).',
    body: changes('The members to change.', photoChangeSchema, {
      alt: EXAMPLE.alt,
      position: 1,
      focus: { x: 0.4, y: 0.25 },
    }),
    success: shows('The changed photo.', photoSchema, {
      ...EXAMPLE_VALUE,
      focus: { x: 0.4, y: 0.25 },
    }),
    handle({ path, body, stamp, ifMatch }, { storage, baseUrl }) {
      const { alt, position, focus } = body;
      const change = { alt: alt === null ? '' : alt, position, focus };
      const view = (photo: Photo) => photoValue(photo, baseUrl);
      const condition = requireMatch(ifMatch, view);
      const updated = storage.photos.update(path.petId, path.photoId, change, stamp, condition);
      return showing(NO_SUCH_PHOTO, updated, view);
    },
  }),
  deletePhoto: defineOperation({
    ...COMMON,
    ...ONE,
    method: 'DELETE',
    path: '/pets/{petId}/photos/{photoId}',
    access: 'write',
    summary: 'Remove a photo',
    description:
      'Removes a photo; the later ones move up. Its files are no longer served, unless another animal has the same photo, and are removed within two hours.',
    success: removes('Photo removed.'),
    handle({ path, stamp, ifMatch }, { storage, baseUrl }) {
      const condition = requireMatch<Photo>(ifMatch, (photo) => photoValue(photo, baseUrl));
      const removed = storage.photos.remove(path.petId, path.photoId, stamp, condition);
      return removing(NO_SUCH_PHOTO, removed);
    },
  }),
});
