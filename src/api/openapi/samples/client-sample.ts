import {
  type DocumentModel,
  jsonContent,
  nameOf,
  type OperationModel,
  successOf,
} from '../document-model.ts';
import { clientGroupOf, clientMethodName, isPagedList } from './client-method.ts';
import type { ExampleRequest } from './example-request.ts';
import { literal } from './literal.ts';

/** Returns a request as a program that uses the TypeScript client. */
export function clientSample(
  baseUrl: string,
  { path, ids, query, body }: ExampleRequest,
  operation: OperationModel,
  document: DocumentModel,
): string {
  const group = clientGroupOf(path);
  const values = [...ids.map(literal), ...(body ? [bodyLiteral(body)] : [])];
  if (Object.keys(query).length > 0) values.push(literal(query));
  const method = clientMethodName(group, operation.operationId);
  const call = `store.${group.name}.${method}(${values.join(', ')})`;
  return `import { Petstore } from 'petstore-client';

const store = new Petstore({
  baseUrl: '${baseUrl}',
  apiKey: process.env.PETSTORE_API_KEY,
});
${statement(call, operation, document)}`;
}

function bodyLiteral({ mediaType, value }: NonNullable<ExampleRequest['body']>): string {
  if (typeof value !== 'string') return literal(value);
  return `new Blob([${literal(value)}], { type: ${literal(mediaType)} })`;
}

/** Returns the statement with a call, which names what the call returns. */
function statement(call: string, operation: OperationModel, document: DocumentModel): string {
  const schema = jsonContent(successOf(operation))?.schema;
  if (schema === undefined) return `await ${call};`;
  const { items } = document.components.schemas[nameOf(schema.$ref ?? '')] ?? schema;
  const type = nameOf((items ?? schema).$ref ?? 'Result');
  // A variable cannot have the name `import`.
  const name = type === 'Import' ? 'result' : type.replace(/^./, (c) => c.toLowerCase());
  if (isPagedList(operation.parameters)) {
    return `for await (const ${name} of ${call}) {\n  console.log(${name});\n}`;
  }
  return `const ${items ? `${name}s` : name} = await ${call};`;
}
