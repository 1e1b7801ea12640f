/** A database that the service refuses to use; the message says why and what to do. */
export class UnusableDatabase extends Error {}

/** The database does not exist or is empty, and must not be created. */
export class NoDatabase extends UnusableDatabase {
  constructor(name: string) {
    super(
      `There is no Petstore database at ${name}. See whether its disk is mounted; --database or PETSTORE_DATABASE says ` +
        'where it is. `petstore migrate` makes a new one; so does `petstore serve`, unless PETSTORE_DATABASE_CREATE is off.',
    );
  }
}
