// Made from openapi.json by `npm run openapi`.
import { type ChangeOptions, Group, type PostOptions } from '../../group.ts';
import type { Int64 } from '../../json.ts';
import type { List } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type { InvitedPerson, ListPeopleQuery, NewPerson, Person, PersonChange } from '../types.ts';

/** `store.people`. */
export class PersonOperations extends Group {
  /** List people. */
  list(query: ListPeopleQuery = {}, options?: CallOptions): List<Person> {
    return this.listAt('/people', query, options);
  }

  /** Add a person. */
  create(body: NewPerson, options?: PostOptions): Promise<InvitedPerson> {
    return this.postTo('/people', body, options, true);
  }

  /** Get a person. */
  get(personId: Int64, options?: CallOptions): Promise<Person> {
    return this.readAt(`/people/${personId}`, options);
  }

  /** Change a person. */
  update(personId: Int64, body: PersonChange, options?: ChangeOptions<Person>): Promise<Person> {
    return this.changeAt('PATCH', `/people/${personId}`, body, options, () =>
      this.get(personId, options),
    );
  }

  /** Remove a person. */
  remove(personId: Int64, options?: ChangeOptions<Person>): Promise<void> {
    return this.changeAt('DELETE', `/people/${personId}`, undefined, options, () =>
      this.get(personId, options),
    );
  }

  /** Invite a person again. */
  invite(personId: Int64, options?: PostOptions): Promise<InvitedPerson> {
    return this.postTo(`/people/${personId}/invitation`, undefined, options);
  }
}
