/**
 * Casts a parameter with a JSON text to json. It is declared as text, because Bun would encode the
 * text as JSON once more for a parameter of type json.
 */
function json(parameter: string): string {
  return `CAST(CAST(${parameter} AS text) AS json)`;
}

/** Reads a parameter with a JSON list of objects as a table `given`. */
export function records(parameter: string, columns: string): string {
  return `json_to_recordset(${json(parameter)}) AS given (${columns})`;
}

/** Reads a parameter with a JSON list of rows of a table, in the types of its columns. */
export function rowsOf(table: string, parameter: string): string {
  return `json_populate_recordset(CAST(NULL AS ${table}), ${json(parameter)}) AS given`;
}

/** Reads a parameter with a JSON list of texts as a subquery. */
export function texts(parameter: string): string {
  return `SELECT json_array_elements_text(${json(parameter)})`;
}

/** Reads a parameter from `integerList` as an array. */
export function integers(parameter: string): string {
  return `CAST(CAST(${parameter} AS text) AS bigint[])`;
}

/** Writes integers as one parameter. */
export function integerList(values: Iterable<bigint>): string {
  return `{${[...values].join(',')}}`;
}
