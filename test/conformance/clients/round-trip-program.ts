/** The parts of the document that a round trip is made of. */
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

/** In this order nothing is removed before it is read. */
const METHODS = ['post', 'get', 'patch', 'delete'];

const HEAD = `import createClient from 'openapi-fetch';
import type { paths } from './schema';

declare const process: { readonly env: Readonly<Record<string, string>> };
const { PETSTORE_URL: baseUrl = '', PETSTORE_KEY: key } = process.env;
const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } });

function got<T>(id: string, status: number, answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.response.status !== status) {
    throw new Error(\`\${id}: \${answer.response.status} \${JSON.stringify(answer.error)}\`);
  }
  return answer.data as T;
}
`;

/**
 * Writes a program that calls every operation of a document through openapi-fetch, with the
 * examples of the document as bodies, and once more with nothing in them but what is required.
 * Generated, so that a new operation is called without anybody thinking of it; the compiler checks
 * each call against the generated types.
 */
export function roundTripProgram(text: string) {
  const { paths, components }: Document = JSON.parse(text);
  const lines: string[] = [];
  let made = 0;

  /** Writes a call; gives the name of what holds its answer. */
  function call(path: string, method: string, body = fullBody): string {
    const operation = paths[path]?.[method];
    if (operation === undefined) throw new Error(`there is no ${method} ${path}`);
    const parameters = parametersOf(path);
    const init = [parameters, body(operation)].filter((part) => part !== undefined).join(', ');
    const status = Object.keys(operation.responses).find((code) => code.startsWith('2'));
    const name = `answer${++made}`;
    const sent = `await client.${method.toUpperCase()}('${path}', { ${init} })`;
    lines.push(`const ${name} = got('${operation.operationId}', ${status}, ${sent});`);
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

  /** The members of the example that the document says are required. */
  function leastBody(operation: Operation): string | undefined {
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
      const unique = key === 'name' ? `${value} ${made}` : value;
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
      if (operation.requestBody !== undefined) call(path, method, leastBody);
      operationIds.push(operation.operationId);
    }
  }
  return { text: `${HEAD}\n${lines.join('\n')}\n`, operationIds };
}
