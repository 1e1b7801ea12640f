import {
  type DocumentModel,
  mapOperations,
  nameOf,
  type Parameter,
  type Schema,
} from '../document-model.ts';
import { exampleId } from './example-request.ts';

/**
 * Returns the document with an example of every parameter, and what a parameter says not said again by
 * its schema. Texts have their examples in the operations; those of other types follow from their
 * schemas, ids from the records of the examples. Throws if there is none.
 */
export function withParameterExamples(document: DocumentModel): DocumentModel {
  const paths = mapOperations(document.paths, ({ parameters, ...operation }, path, method) => {
    if (parameters === undefined) return operation;
    return { ...operation, parameters: parameters.map((one) => shown(one, path, method)) };
  });

  function shown(parameter: Parameter, path: string, method: string): Parameter {
    const { in: place, name = '', schema = {}, description } = parameter;
    if (parameter.$ref !== undefined) return parameter;
    const { description: repeated, ...only } = schema;
    const end = path.indexOf(`{${name}}`) + name.length + 2;
    const example =
      parameter.example ??
      (place === 'path' ? exampleId(document, path.slice(0, end), method) : exampleFor(schema));
    if (example === undefined) throw new Error(`${name} of ${method} ${path} has no example`);
    return { ...parameter, schema: repeated === description ? only : schema, example };
  }

  function exampleFor({ $ref, type, enum: words, anyOf, items, ...schema }: Schema): unknown {
    if ($ref !== undefined) return exampleFor(document.components.schemas[nameOf($ref)] ?? {});
    if (words !== undefined) return words[0];
    if (anyOf !== undefined) return anyOf.map(exampleFor).at(-1);
    if (items !== undefined) return [exampleFor(items)];
    if (type === 'boolean') return true;
    // A default of 0 shows nothing.
    return type === 'integer' ? schema.default || schema.maximum || 1 : undefined;
  }

  return { ...document, paths };
}
