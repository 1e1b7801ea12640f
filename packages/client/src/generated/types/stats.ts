// Made from openapi.json by `npm run openapi`.
/** The shop in figures. */
export interface Stats {
  /** Animals by status. */
  pets: {
    /** Animals that are available. */
    available: number;
    /** Animals with an open order. */
    pending: number;
    /** Animals that have found a home. */
    sold: number;
  };
  /** Animals that could be adopted today: available, and not held. */
  adoptable: number;
  /** Categories, the largest first. Only the 100 with the most animals. */
  categories: readonly CategoryStats[];
  /** The last 52 weeks up to the current one, from the oldest to the newest. */
  adoptions: readonly WeekStats[];
}

/** A category with the number of its animals. */
export interface CategoryStats {
  /** Id of the category. */
  id: number;
  /** Name of the category. */
  name: string;
  /** Animals in the category, of any status. */
  pets: number;
}

/** The adoptions of a week. */
export interface WeekStats {
  /** A week of ISO 8601, from Monday to Sunday in UTC. */
  week: string;
  /** Orders that were completed in the week. */
  completed: number;
}
