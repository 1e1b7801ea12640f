// Prepares the OpenAPI document for the reference page. Runs in the browser and in tests, and does
// not touch the page.

/**
 * Parses JSON. An integer that a number cannot hold exactly becomes its text.
 */
export function parseExactly(text) {
  return JSON.parse(text, (_, value, { source } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) && source ? source : value,
  );
}

/** Returns a copy of the document with groups and badges for the page. */
export function documentForPage(document) {
  const copy = structuredClone(document);
  dropWideBounds(copy);
  groupTags(copy);
  markParameters(Object.values(copy.components?.parameters ?? {}));
  for (const item of Object.values(copy.paths)) {
    for (const operation of Object.values(item)) {
      if (!operation.operationId) continue;
      operation['x-badges'] = badges(operation);
      markParameters(operation.parameters ?? []);
    }
  }
  return copy;
}

/** Drops bounds that a number cannot hold: they only repeat the int64 format, which the page shows. */
function dropWideBounds(value) {
  if (typeof value !== 'object' || value === null) return;
  for (const bound of ['minimum', 'maximum']) {
    if (value.format === 'int64' && typeof value[bound] === 'string') delete value[bound];
  }
  for (const member of Object.values(value)) dropWideBounds(member);
}

/** Turns parent tags into groups. */
function groupTags(document) {
  const tags = document.tags ?? [];
  const children = tags.filter((tag) => tag['x-parent']);
  const groups = tags.filter((tag) => !tag['x-parent']);
  document['x-tagGroups'] = groups
    .map(({ name }) => ({
      name,
      tags: children.filter((tag) => tag['x-parent'] === name).map((tag) => tag.name),
    }))
    .filter((group) => group.tags.length > 0);
  document.tags = children;
}

function badges(operation) {
  const found = [];
  const stability = operation['x-stability'];
  if (stability && stability !== 'stable') {
    found.push({ name: capitalized(stability), position: 'before' });
  }
  const sunset = operation['x-deprecated-sunset'];
  if (sunset) found.push({ name: `Removed on ${longDate(sunset)}`, position: 'before' });
  return found;
}

/**
 * Marks parameters, and removes examples of optional ones and of ids: the panel sends every example. The
 * same `Idempotency-Key` twice would refuse the second request, and an id that is filled in could be
 * that of a record that nobody wanted to remove.
 */
function markParameters(parameters) {
  for (const parameter of parameters) {
    if (!parameter.required || parameter.in === 'path') delete parameter.example;
    const stability = parameter['x-stability'];
    if (!stability || stability === 'stable') continue;
    parameter.description = `**${capitalized(stability)}.** ${parameter.description ?? ''}`;
  }
}

function capitalized(word) {
  return word[0].toUpperCase() + word.slice(1);
}

/** Formats `2030-12-05` as `5 December 2030`. */
function longDate(date) {
  const style = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' };
  return new Intl.DateTimeFormat('en-GB', style).format(new Date(`${date}T00:00:00Z`));
}
