/** The parts of the document that a round trip needs. */
interface Operation {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly example: object; readonly schema: Named }>
    >;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

/** A reference to a schema among the components. */
interface Named {
  readonly $ref: string;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface Document {
  readonly paths: Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly required?: readonly string[] }>>;
  };
}

/** In this order, nothing is removed before it is read. */
const METHODS = ['post', 'get', 'patch', 'delete'];

const HEAD = `import createClient from 'openapi-fetch';
import type { paths } from './schema';

declare const process: { readonly env: Readonly<Record<string, string>> };
const { PETSTORE_URL: baseUrl = '', PETSTORE_KEY: key } = process.env;
const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } });

function expectStatus<T>(id: string, status: number, result: { data?: T; error?: unknown; response: Response }): T {
  if (result.response.status !== status) {
    throw new Error(\`\${id}: \${result.response.status} \${JSON.stringify(result.error)}\`);
  }
  return result.data as T;
}
`;

/**
 * Writes a program that calls every operation of a document through openapi-fetch, first with the
 * document's examples as bodies and then with only their required members. It is generated so that
 * new operations are included; the compiler checks each call against the generated types.
 */
export function roundTripProgram(text: string) {
  const { paths, components }: Document = JSON.parse(text);
  const lines: string[] = [];
  let calls = 0;

  /** Writes a call and returns the name of the constant with its response body. */
  function call(path: string, method: string, body = fullBody): string {
    const operation = paths[path]?.[method];
    if (operation === undefined) throw new Error(`there is no ${method} ${path}`);
    const parameters = parametersOf(path);
    const init = [parameters, body(operation)].filter((part) => part !== undefined).join(', ');
    const status = Object.keys(operation.responses).find((code) => code.startsWith('2'));
    const name = `body${++calls}`;
    const sent = `await client.${method.toUpperCase()}('${path}', { ${init} })`;
    lines.push(`const ${name} = expectStatus('${operation.operationId}', ${status}, ${sent});`);
    return name;
  }

  function parametersOf(path: string): string | undefined {
    const [, collection, parameter] = /^([^{]+)\/\{([^{}]+)\}/.exec(path) ?? [];
    if (collection === undefined) return undefined;
    return `params: { path: { ${parameter}: ${call(collection, 'post')}.id } }`;
  }

  const mediaOf = ({ requestBody }: Operation) => Object.values(requestBody?.content ?? {})[0];

  function fullBody(operation: Operation): string | undefined {
    return bodyOf(Object.entries(mediaOf(operation)?.example ?? {}), operation);
  }

  /** Only the required members of the example. */
  function requiredBody(operation: Operation): string | undefined {
    const media = mediaOf(operation);
    const name = media?.schema.$ref.split('/').at(-1) ?? '';
    const required = components.schemas[name]?.required ?? [];
    const members = Object.entries(media?.example ?? {});
    return bodyOf(
      members.filter(([key]) => required.includes(key)),
      operation,
    );
  }

  function bodyOf(example: [string, unknown][], { requestBody }: Operation): string | undefined {
    if (requestBody === undefined) return undefined;
    const members = example.map(([key, value]) => {
      if (key === 'petId') return `${key}: ${call('/pets', 'post')}.id`;
      const unique = key === 'name' ? `${value} ${calls}` : value;
      return `${key}: ${JSON.stringify(unique)}`;
    });
    return `body: { ${members.join(', ')} }`;
  }

  const operationIds: string[] = [];
  for (const method of METHODS) {
    for (const [path, item] of Object.entries(paths)) {
      const operation = item[method];
      if (operation === undefined) continue;
      call(path, method);
      if (operation.requestBody !== undefined) call(path, method, requiredBody);
      operationIds.push(operation.operationId);
    }
  }
  return { text: `${HEAD}\n${lines.join('\n')}\n`, operationIds };
}
