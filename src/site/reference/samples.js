// Sample code for the operations of the reference page, in the style of the guides. Runs in the
// browser and in tests, and does not touch the page.

/** The id in the paths of samples. */
const SAMPLE_ID = 9;

/** Returns the samples of an operation in display order. */
export function samplesOf(document, path, method, operation) {
  const request = requestOf(document, path, method, operation);
  return [
    { lang: 'curl', label: 'curl', source: curl(request) },
    { lang: 'typescript', label: 'TypeScript', source: typeScript(request) },
  ];
}

/** Builds the sample request: a path with ids, one filter, and the example body. */
function requestOf(document, path, method, operation) {
  const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = content && (content.example ?? Object.values(content.examples ?? {})[0]?.value);
  return {
    url: document.servers[0].url + path.replace(/\{\w+\}/g, SAMPLE_ID) + query(document, operation),
    method: method.toUpperCase(),
    mediaType,
    body: body && JSON.stringify(body),
    hasResponseBody: !operation.responses?.['204'],
  };
}

/** Uses the first query parameter that has an enum, with its first value. */
function query(document, operation) {
  for (const { in: location, name, schema } of operation.parameters ?? []) {
    const values = location === 'query' ? resolved(document, schema).enum : undefined;
    if (values) return `?${name}=${values[0]}`;
  }
  return '';
}

function resolved(document, schema = {}) {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return (name && document.components?.schemas?.[name]) || schema;
}

/** The key comes from the file that Getting started creates, so that no command contains it. */
function curl({ url, method, mediaType, body }) {
  const command = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "${url}"`,
    '-H @petstore.headers',
    ...(body ? [`-H "Content-Type: ${mediaType}"`, `-d '${body.replaceAll("'", "'\\''")}'`] : []),
  ].join(' \\\n  ');
  return `# The guide Getting started makes petstore.headers\n${command}`;
}

function typeScript({ url, method, mediaType, body, hasResponseBody }) {
  const indented = body && JSON.stringify(JSON.parse(body), null, 2).replaceAll('\n', '\n  ');
  return [
    `const response = await fetch('${url}', {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    "    Authorization: 'Bearer ' + process.env.PETSTORE_API_KEY,",
    ...(body ? [`    'Content-Type': '${mediaType}',`] : []),
    '  },',
    ...(body ? [`  body: JSON.stringify(${indented}),`] : []),
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    ...(hasResponseBody ? ['const result: unknown = await response.json();'] : []),
  ].join('\n');
}
