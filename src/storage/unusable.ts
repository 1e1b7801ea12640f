/** A database that the service will not start on; the message says why and what to do. */
export class UnusableDatabase extends Error {}

/** There is no shop in the database of this name, and none was to be made. */
export class NoShop extends UnusableDatabase {
  constructor(name: string) {
    super(
      `There is no shop at ${name}. Say where it is with --database or PETSTORE_DATABASE; ` +
        '`petstore serve` and `petstore migrate` make a new one.',
    );
  }
}
