import { PetstoreError } from './error.ts';
import { PetOperations } from './generated/operations/pets.ts';
import type { AddPhotoQuery, Pet, Photo } from './generated/types.ts';
import { type PostOptions, tagged } from './group.ts';
import type { Int64 } from './json.ts';
import { searchOf } from './list.ts';
import type { CallOptions } from './transport.ts';

/** `store.pets`: the animals. */
export class Pets extends PetOperations {
  /** Reads one animal. Throws `pet_not_found` if there is none with this id. */
  async get(id: Int64, options?: CallOptions): Promise<Pet> {
    // GET /pets/{petId} is deprecated. A list of one id has the entity tag of the animal.
    const call = { method: 'GET', target: `/pets${searchOf({ id })}` };
    const { body, headers } = await this.transport.send(call, options);
    // The OpenAPI document promises this form.
    const [pet] = body as Pet[];
    if (pet) return tagged(pet, headers);
    throw new PetstoreError(`There is no animal with the id ${id}.`, {
      code: 'pet_not_found',
      status: 404,
      requestId: headers.get('x-request-id') ?? undefined,
    });
  }

  /** Adds a photo: a JPEG, PNG or WebP file. The service looks at its bytes for which of them it is. */
  override addPhoto(
    petId: Int64,
    file: Blob | Uint8Array | ArrayBuffer,
    query?: AddPhotoQuery,
    options?: PostOptions,
  ): Promise<Photo> {
    const isTyped = file instanceof Blob && file.type !== '';
    // The types of some runtimes do not take bytes that could be shared between threads.
    const photo = isTyped ? file : new Blob([file as ArrayBuffer], { type: 'image/jpeg' });
    return super.addPhoto(petId, photo, query, options);
  }
}
