import { type ExampleRequest, SAMPLE_FILE, targetOf } from './example-request.ts';

/** Returns a request as a program in PHP that needs no package. */
export function phpSample(baseUrl: string, request: ExampleRequest): string {
  const { method, body } = request;
  const headers = [
    `'Authorization: Bearer ' . getenv('PETSTORE_API_KEY')`,
    ...(body ? [php(`Content-Type: ${body.mediaType}`)] : []),
  ];
  const options = [
    `'method' => ${php(method)},`,
    `'header' => [${headers.join(', ')}],`,
    ...(body ? [`'content' => ${contentOf(body)},`] : []),
    // Otherwise the message of an error is lost.
    `'ignore_errors' => true,`,
  ];
  return `<?php
$context = stream_context_create(['http' => [
${options.map((line) => `    ${line.replaceAll('\n', '\n    ')}`).join('\n')}
]]);
$response = file_get_contents(${php(baseUrl + targetOf(request))}, false, $context);
echo $http_response_header[0], "\\n", $response, "\\n";`;
}

function contentOf({ value }: NonNullable<ExampleRequest['body']>): string {
  if (value === undefined) return `file_get_contents(${php(SAMPLE_FILE)})`;
  if (typeof value !== 'string') return `json_encode(${php(value)})`;
  return JSON.stringify(value).replaceAll('$', '\\$');
}

/** Returns a value of JSON, in which integers may be `bigint`, as PHP. */
function php(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`;
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(php).join(', ')}]`;
  const pairs = Object.entries(value).map(([name, one]) => `${php(name)} => ${php(one)}`);
  return pairs.length > 0 ? `[${pairs.join(', ')}]` : '(object) []';
}
