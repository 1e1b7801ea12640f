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

/** A call, as text. */
interface CallText {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** The parameter in the path, if there is one. */
  readonly parameter: { readonly name: string; readonly value: string } | undefined;
  readonly body: string | undefined;
}

/** How the programs for one client begin, and how they write calls. */
export interface ClientStyle {
  readonly head: string;
  /** Returns an expression; the head has `expectStatus`, which takes the result. */
  call(parts: CallText): string;
}

const isText = (text: string | undefined) => text !== undefined;

export const openapiFetch: ClientStyle = {
  head: `import createClient from 'openapi-fetch';
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
`,
  call({ method, path, parameter, body }) {
    const params = parameter && `params: { path: { ${parameter.name}: ${parameter.value} } }`;
    const init = [params, body && `body: ${body}`].filter(isText).join(', ');
    return `client.${method.toUpperCase()}('${path}', { ${init} })`;
  },
};

export const orval: ClientStyle = {
  head: `import * as client from './petstore';

function expectStatus<R extends { status: number; data: unknown }, S extends R['status']>(id: string, status: S, result: R) {
  if (result.status !== status) throw new Error(\`\${id}: \${result.status} \${JSON.stringify(result.data)}\`);
  return result.data as Extract<R, { status: S }>['data'];
}
`,
  call: ({ operationId, parameter, body }) =>
    `client.${operationId}(${[parameter?.value, body].filter(isText).join(', ')})`,
};

/**
 * Writes a program that calls every operation of a document through a client, first with the
 * document's examples as bodies and then with only their required members. It is generated so that
 * new operations are included; the compiler checks each call against the generated types.
 */
export function roundTripProgram(text: string, style: ClientStyle) {
  const { paths, components }: Document = JSON.parse(text);
  const lines: string[] = [];
  let calls = 0;

  /** Writes a call and returns the name of the constant with its response body. */
  function call(path: string, method: string, body = fullBody): string {
    const operation = paths[path]?.[method];
    if (operation === undefined) throw new Error(`there is no ${method} ${path}`);
    const { operationId } = operation;
    const parameter = parameterOf(path);
    const sent = style.call({ operationId, method, path, parameter, body: body(operation) });
    const status = Object.keys(operation.responses).find((code) => code.startsWith('2'));
    const name = `body${++calls}`;
    lines.push(`const ${name} = expectStatus('${operationId}', ${status}, await ${sent});`);
    return name;
  }

  function parameterOf(path: string): CallText['parameter'] {
    const [, collection, name = ''] = /^([^{]+)\/\{([^{}]+)\}/.exec(path) ?? [];
    if (collection === undefined) return undefined;
    return { name, value: `${call(collection, 'post')}.id` };
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
      const made: Readonly<Record<string, string>> = {
        name: `${value} ${calls}`,
        email: `${calls}${value}`,
      };
      const unique = made[key] ?? value;
      return `${key}: ${JSON.stringify(unique)}`;
    });
    return `{ ${members.join(', ')} }`;
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
  return { text: `${style.head}\n${lines.join('\n')}\n`, operationIds };
}
