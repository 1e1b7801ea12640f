// Made from openapi.json by `npm run openapi`.
import { type ChangeOptions, Group, type PostOptions } from '../../group.ts';
import type { Int64 } from '../../json.ts';
import { type List, searchOf } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type {
  AddPhotoQuery,
  AuditLine,
  ListedStay,
  ListPetHistoryQuery,
  ListPetsQuery,
  NewPet,
  NewStay,
  Pet,
  PetChange,
  Photo,
  PhotoChange,
  Profile,
  ProfileChange,
  Publication,
  Stay,
  StayChange,
} from '../types.ts';

/** `store.pets`. */
export abstract class PetOperations extends Group {
  /** List animals. */
  list(query: ListPetsQuery = {}, options?: CallOptions): List<Pet> {
    return this.listAt('/pets', query, options);
  }

  /** Add an animal. */
  create(body: NewPet, options?: PostOptions): Promise<Pet> {
    return this.postTo('/pets', body, options, true);
  }

  /** Get an animal. */
  abstract get(petId: Int64, options?: CallOptions): Promise<Pet>;

  /** Change an animal. */
  update(petId: Int64, body: PetChange, options?: ChangeOptions<Pet>): Promise<Pet> {
    return this.changeAt('PATCH', `/pets/${petId}`, body, options, () => this.get(petId, options));
  }

  /** Remove an animal. */
  delete(petId: Int64, options?: ChangeOptions<Pet>): Promise<void> {
    return this.changeAt('DELETE', `/pets/${petId}`, undefined, options, () =>
      this.get(petId, options),
    );
  }

  /** List what happened to an animal. */
  history(petId: Int64, query: ListPetHistoryQuery = {}, options?: CallOptions): List<AuditLine> {
    return this.listAt(`/pets/${petId}/history`, query, options);
  }

  /** Bring back a removed animal. */
  restore(petId: Int64, options?: PostOptions): Promise<Pet> {
    return this.postTo(`/pets/${petId}/restore`, undefined, options);
  }

  /** List the stays of an animal. */
  stays(petId: Int64, options?: CallOptions): Promise<ListedStay[]> {
    return this.readAt(`/pets/${petId}/stays`, options);
  }

  /** Add a stay. */
  createStay(petId: Int64, body: NewStay, options?: PostOptions): Promise<Stay> {
    return this.postTo(`/pets/${petId}/stays`, body, options, true);
  }

  /** Change a stay. */
  updateStay(petId: Int64, stayId: Int64, body: StayChange, options?: CallOptions): Promise<Stay> {
    return this.changeAt('PATCH', `/pets/${petId}/stays/${stayId}`, body, options);
  }

  /** Get the profile of an animal. */
  profile(petId: Int64, options?: CallOptions): Promise<Profile> {
    return this.readAt(`/pets/${petId}/profile`, options);
  }

  /** Change the profile of an animal. */
  updateProfile(
    petId: Int64,
    body: ProfileChange,
    options?: ChangeOptions<Profile>,
  ): Promise<Profile> {
    return this.changeAt('PATCH', `/pets/${petId}/profile`, body, options, () =>
      this.profile(petId, options),
    );
  }

  /** List the photos of an animal. */
  photos(petId: Int64, options?: CallOptions): Promise<Photo[]> {
    return this.readAt(`/pets/${petId}/photos`, options);
  }

  /** Add a photo. */
  addPhoto(
    petId: Int64,
    body: Blob,
    query: AddPhotoQuery = {},
    options?: PostOptions,
  ): Promise<Photo> {
    return this.postTo(`/pets/${petId}/photos${searchOf(query)}`, body, options, true);
  }

  /** Get a photo. */
  photo(petId: Int64, photoId: Int64, options?: CallOptions): Promise<Photo> {
    return this.readAt(`/pets/${petId}/photos/${photoId}`, options);
  }

  /** Change a photo. */
  updatePhoto(
    petId: Int64,
    photoId: Int64,
    body: PhotoChange,
    options?: ChangeOptions<Photo>,
  ): Promise<Photo> {
    return this.changeAt('PATCH', `/pets/${petId}/photos/${photoId}`, body, options, () =>
      this.photo(petId, photoId, options),
    );
  }

  /** Remove a photo. */
  deletePhoto(petId: Int64, photoId: Int64, options?: ChangeOptions<Photo>): Promise<void> {
    return this.changeAt('DELETE', `/pets/${petId}/photos/${photoId}`, undefined, options, () =>
      this.photo(petId, photoId, options),
    );
  }

  /** See whether an animal is listed. */
  listing(petId: Int64, options?: CallOptions): Promise<Publication> {
    return this.readAt(`/pets/${petId}/listing`, options);
  }
}
