/**
 * Many rows in one parameter: a JSON text. It is declared as text, since Bun would write the text
 * once more as JSON where the server asks for json.
 */
function json(parameter: string): string {
  return `CAST(CAST(${parameter} AS text) AS json)`;
}

/** The rows of a parameter that holds a JSON list of objects, as a table `given`. */
export function records(parameter: string, columns: string): string {
  return `json_to_recordset(${json(parameter)}) AS given (${columns})`;
}

/** The texts of a parameter that holds a JSON list of them, as a subquery. */
export function texts(parameter: string): string {
  return `SELECT json_array_elements_text(${json(parameter)})`;
}

/** The integers of a parameter that holds them as `integerList` writes them, as an array. */
export function integers(parameter: string): string {
  return `CAST(CAST(${parameter} AS text) AS bigint[])`;
}

/** Integers as one parameter. */
export function integerList(values: Iterable<bigint>): string {
  return `{${[...values].join(',')}}`;
}
