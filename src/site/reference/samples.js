// Sample code for the operations of the reference page, as the guides write it. Knows nothing of
// the page; runs in the browser, and in our tests.

/** What stands for an id in the path of a sample. */
const SAMPLE_ID = 9;

/** The samples of an operation of a document, in the order in which they are offered. */
export function samplesOf(document, path, method, operation) {
  const request = requestOf(document, path, method, operation);
  return [
    { lang: 'curl', label: 'curl', source: curl(request) },
    { lang: 'typescript', label: 'TypeScript', source: typeScript(request) },
  ];
}

/** What is sent: a path with ids in it, a filter to show how, and the example of a body. */
function requestOf(document, path, method, operation) {
  const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = content && (content.example ?? Object.values(content.examples ?? {})[0]?.value);
  return {
    url: document.servers[0].url + path.replace(/\{\w+\}/g, SAMPLE_ID) + query(document, operation),
    method: method.toUpperCase(),
    mediaType,
    body: body && JSON.stringify(body),
    hasAnswer: !operation.responses?.['204'],
  };
}

/** The first parameter of the query with a list of values, with the first of them. */
function query(document, operation) {
  for (const { in: place, name, schema } of operation.parameters ?? []) {
    const values = place === 'query' ? resolved(document, schema).enum : undefined;
    if (values) return `?${name}=${values[0]}`;
  }
  return '';
}

function resolved(document, schema = {}) {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return (name && document.components?.schemas?.[name]) || schema;
}

/** The key is in a file, which the guide Getting started makes, so that it is in no command. */
function curl({ url, method, mediaType, body }) {
  const command = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "${url}"`,
    '-H @petstore.headers',
    ...(body ? [`-H "Content-Type: ${mediaType}"`, `-d '${body.replaceAll("'", "'\\''")}'`] : []),
  ].join(' \\\n  ');
  return `# The guide Getting started makes petstore.headers\n${command}`;
}

function typeScript({ url, method, mediaType, body, hasAnswer }) {
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
    ...(hasAnswer ? ['const result: unknown = await response.json();'] : []),
  ].join('\n');
}
