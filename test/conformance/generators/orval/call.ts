// What sends the requests of a client that orval makes: the address and the key.
declare const process: { readonly env: Readonly<Record<string, string>> };
const { PETSTORE_URL: baseUrl = '', PETSTORE_KEY: key = '' } = process.env;

export async function call<T>(url: string, init: RequestInit): Promise<T> {
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${key}`);
  const response = await fetch(baseUrl + url, { ...init, headers });
  const text = await response.text();
  const data = text === '' ? undefined : JSON.parse(text);
  // The document promises this form.
  return { data, status: response.status, headers: response.headers } as T;
}
