// What the TypeScript programs have in common: the service, and the columns of the table in the guide.

declare const process: { readonly env: Readonly<Record<string, string>> };
declare const Bun: { file(path: string): Blob };
export const { PETSTORE_URL: baseUrl = '', PETSTORE_KEY: key = '' } = process.env;

export const LARGEST = '9223372036854775807';

/** Adds an animal with the largest categoryId, written by hand, and returns its id. */
export async function addExactly(): Promise<number> {
  const response = await fetch(`${baseUrl}/pets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: `{"name":"Exact","categoryId":${LARGEST}}`,
  });
  const { id } = await response.json();
  return id;
}

/** A photo of 60 by 40 pixels, as the programs of readers have one. */
export async function photo(): Promise<Blob> {
  return new Blob([await Bun.file(process.env['PETSTORE_PHOTO'] ?? '').arrayBuffer()]);
}

/** The id of no animal. */
export const NOBODY = 999_999;

function print(column: string, cell: string): void {
  console.log(`${column}: ${cell}`);
}

let idsSent = 0;
let exactRead = false;

/** Each prints the cell of a column. */
export const facts = {
  created(status: string): void {
    print('create', status === 'available' ? 'yes' : `no: ${status}`);
  },
  uploaded(width: number | undefined): void {
    print('upload', width === 60 ? 'yes' : `no: ${width}`);
  },
  refused(code: string | undefined): void {
    print('error', code === 'pet_not_found' ? 'yes' : `no: ${code}`);
  },
  ids(found: readonly number[]): void {
    idsSent = found.length;
    print('list', idsSent === 2 ? 'yes' : `no: ${idsSent}`);
  },
  int64(read: number | bigint | undefined): void {
    exactRead = String(read) === LARGEST;
  },
  int64Sent(status: number): void {
    print('int64', exactRead && status === 201 ? 'exact' : 'rounded above 2^53');
  },
  erased(order: { readonly adopter?: unknown } | undefined): void {
    const isErased = order !== undefined && (order.adopter ?? null) === null;
    print('null', isErased ? 'yes' : 'no');
  },
  after(all: number, none: number): void {
    print('after', all > 0 && none === 0 ? 'yes' : `no: ${all}, ${none}`);
  },
  narrowed(names: readonly string[]): void {
    print('events', names.includes('Willow') ? 'yes' : `no: ${names}`);
  },
};
