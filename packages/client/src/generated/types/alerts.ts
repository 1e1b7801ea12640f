// Made from openapi.json by `npm run openapi`.
/** What families want to be told of. */
export interface Alerts {
  /** The 100 searches with the most alerts, most first. */
  searches: readonly AlertCount[];
}

/** The alerts for one search. */
export interface AlertCount {
  /**
   * The filters, as the query of `/listings` and of the adoption pages has them, such as
   * `species=dog`; empty for all animals.
   */
  search: string;
  /** How many are told of new animals. */
  confirmed: number;
  /** How many have not confirmed it yet. */
  waiting: number;
}
