import { type WritableJson, writeJson } from '../../../http/json.ts';
import { type DocumentModel, mapOperations } from '../document-model.ts';
import { clientSample } from './client-sample.ts';
import { type ExampleRequest, exampleRequest, SAMPLE_FILE, targetOf } from './example-request.ts';
import { phpSample } from './php-sample.ts';
import { pythonSample } from './python-sample.ts';

/**
 * Returns the document with samples for every operation (`x-codeSamples`), for curl, for the
 * clients in TypeScript and Python, and for PHP. They are made from the document's own examples.
 */
export function withSamples(document: DocumentModel): DocumentModel {
  const baseUrl = document.servers?.[0]?.url ?? '';
  const paths = mapOperations(document.paths, (operation, path, method) => {
    const request = exampleRequest(document, path, method, operation);
    const client = clientSample(baseUrl, request, operation, document);
    const samples = [
      { lang: 'curl', label: 'curl', source: curlSample(baseUrl, request) },
      { lang: 'typescript', label: 'TypeScript', source: client },
      { lang: 'python', label: 'Python', source: pythonSample(baseUrl, request) },
      { lang: 'php', label: 'PHP', source: phpSample(baseUrl, request) },
    ];
    return { ...operation, 'x-codeSamples': samples };
  });
  return { ...document, paths };
}

/** Returns a request as a command. The key comes from a file, so that no command contains it. */
function curlSample(baseUrl: string, request: ExampleRequest): string {
  const { method, body } = request;
  const command = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "${baseUrl}${targetOf(request)}"`,
    '-H @petstore.headers',
    ...(body ? [`-H "Content-Type: ${body.mediaType}"`, dataOf(body.value)] : []),
  ].join(' \\\n  ');
  return `# petstore.headers holds your key: see Getting started\n${command}`;
}

/** A body that is no text is in a file. */
function dataOf(body: unknown): string {
  return body === undefined ? `--data-binary @${SAMPLE_FILE}` : `-d ${quoted(body)}`;
}

/** Quotes JSON, or the text of a file, for a shell. */
function quoted(body: unknown): string {
  // The examples of the document are JSON.
  const text = typeof body === 'string' ? body : writeJson(body as WritableJson);
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
