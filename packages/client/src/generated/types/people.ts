// Made from openapi.json by `npm run openapi`.
/** Somebody who is to work here. */
export interface NewPerson {
  /** What the person is called. */
  name: string;
  /** The e-mail address that the person signs in with. */
  email: string;
  /**
   * What the person may do: a `viewer` reads, a `volunteer` reads and writes, a `manager` does
   * everything.
   */
  role: Role;
}

/** The changes to make to a person. */
export interface PersonChange {
  /** What the person is called. */
  name?: string | undefined;
  /** The e-mail address that the person signs in with. */
  email?: string | undefined;
  /**
   * What the person may do: a `viewer` reads, a `volunteer` reads and writes, a `manager` does
   * everything.
   */
  role?: Role | undefined;
}

/** Somebody who works here. */
export interface Person {
  /** Unique identifier: the id of a key, under which the person makes changes. */
  id: number;
  /** What the person is called. */
  name: string;
  /** The e-mail address that the person signs in with. */
  email: string;
  /**
   * What the person may do: a `viewer` reads, a `volunteer` reads and writes, a `manager` does
   * everything.
   */
  role: Role;
  /**
   * The language of the console and of mails for the person, or null: as the browser says, and
   * mails in that of the shop.
   */
  language: Language | null;
  /** Whether the person can sign in: `invited` until they have chosen a password. */
  status: 'invited' | 'active' | 'removed';
  /** When the person was added, in UTC. */
  createdAt: string;
  /** When the person last signed in, or null, in UTC. */
  lastSignInAt: string | null;
  /** When the person was removed, or null, in UTC. */
  removedAt: string | null;
  /** Until when an unused invitation can be used, or null, in UTC. */
  invitedUntil: string | null;
}

/** Somebody with a new invitation. */
export interface InvitedPerson extends Person {
  /**
   * The address where the person chooses a password, once. Send it to them: it cannot be shown
   * again.
   */
  invitation: string;
}

/** The values of `role`. */
export type Role = 'viewer' | 'volunteer' | 'manager';

/** The values of `language`. */
export type Language = 'en' | 'de';

/** What to list. */
export interface ListPeopleQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}
