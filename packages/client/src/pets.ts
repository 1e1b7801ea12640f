import { PetstoreError } from './error.ts';
import { PetOperations } from './generated/operations/pets.ts';
import type { Pet } from './generated/types.ts';
import { tagged } from './group.ts';
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
}
