/** A database that the service refuses to use; the message says why and what to do. */
export class UnusableDatabase extends Error {}

/** The database does not exist or is empty, and must not be created. */
export class NoDatabase extends UnusableDatabase {
  constructor(name: string) {
    super(
      `There is no Petstore database at ${name}. Say where it is with --database or PETSTORE_DATABASE; ` +
        '`petstore serve` and `petstore migrate` make a new one.',
    );
  }
}
