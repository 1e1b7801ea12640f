// Made from openapi.json by `npm run openapi`.
/** Somebody who works here and may answer enquiries. */
export interface StaffMember {
  /** Id of the person. */
  id: number;
  /** What the person is called. */
  name: string;
}

/** What to list. */
export interface ListStaffQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}
