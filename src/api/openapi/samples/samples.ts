import type { DocumentModel, OperationModel } from '../document-model.ts';
import { clientSample } from './client-sample.ts';
import { curlSample } from './curl-sample.ts';
import { exampleRequest } from './example-request.ts';

/**
 * Returns the document with samples for every operation (`x-codeSamples`), for curl and for the
 * TypeScript client. They are made from the document's own examples.
 */
export function withSamples(document: DocumentModel): DocumentModel {
  const baseUrl = document.servers?.[0]?.url ?? '';
  const samplesOf = (path: string, method: string, operation: OperationModel) => {
    const request = exampleRequest(document, path, method, operation);
    const client = clientSample(baseUrl, request, operation, document);
    return [
      { lang: 'curl', label: 'curl', source: curlSample(baseUrl, request) },
      { lang: 'typescript', label: 'TypeScript', source: client },
    ];
  };
  const paths = mapValues(document.paths, (item, path) =>
    mapValues(item, (operation, method) => ({
      ...operation,
      'x-codeSamples': samplesOf(path, method, operation),
    })),
  );
  return { ...document, paths };
}

function mapValues<V, R>(
  record: Readonly<Record<string, V>>,
  map: (value: V, key: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
