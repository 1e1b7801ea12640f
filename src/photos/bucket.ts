import { S3Client, type S3ListObjectsOptions, type S3ListObjectsResponse } from 'bun';
import { SECOND_MS } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';

const RETRY_SECONDS = 5;
/** The longest time for one file, in milliseconds. */
const LIMIT_MS = 20 * SECOND_MS;

/** Where the bytes of photos are kept instead of the database. */
export interface Bucket {
  /** Throws `service_unavailable` if the bucket cannot be reached. */
  put(name: string, content: Uint8Array): Promise<void>;
  /** Returns a file, or undefined if the bucket does not have it. Throws like `put`. */
  get(name: string): Promise<Blob | undefined>;
  /** Removes a file, if it exists. Throws like `put`. */
  remove(name: string): Promise<void>;
  /** The names of all files, in the order of their bytes. Throws like `put`. */
  names(): AsyncGenerator<string, undefined>;
}

/** The bucket of an address `s3://BUCKET/PREFIX`. */
interface BucketAddress {
  readonly bucket: string;
  /** Ends in a slash, unless it is empty. */
  readonly prefix: string;
}

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.!*'()/-]*?))?\/?$/;

/** Reads an address; undefined if it is not the address of a bucket. */
export function bucketAddress(text: string): BucketAddress | undefined {
  const [, bucket, prefix = ''] = ADDRESS.exec(text) ?? [];
  if (bucket === undefined) return undefined;
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

/** The objects of a bucket whose names start with a prefix. */
interface OpenedBucket {
  readonly client: S3Client;
  /** Ends in a slash, unless it is empty. */
  readonly prefix: string;
}

/**
 * Opens the address of a bucket, of any service with the S3 protocol. Where it is and who asks comes from the
 * environment: S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and S3_SESSION_TOKEN, or the
 * same with AWS_.
 */
export function openBucketAddress(address: string): OpenedBucket {
  const found = bucketAddress(address);
  if (found === undefined) throw new Error(`${address} is no address of a bucket`);
  const { bucket, prefix } = found;
  const named = (name: string) => process.env[`S3_${name}`] ?? process.env[`AWS_${name}`] ?? '';
  const client = new S3Client({
    bucket,
    endpoint: named('ENDPOINT'),
    region: named('REGION'),
    accessKeyId: named('ACCESS_KEY_ID'),
    secretAccessKey: named('SECRET_ACCESS_KEY'),
    sessionToken: named('SESSION_TOKEN'),
  });
  return { client, prefix };
}

/** The objects whose names start with a prefix, in the order of their names, of which a service lists one page at a time. */
export async function* objectsIn(
  list: (options: S3ListObjectsOptions) => Promise<S3ListObjectsResponse>,
  prefix: string,
) {
  let startAfter: string | undefined;
  do {
    const page = await list({ prefix, ...(startAfter && { startAfter }) });
    const objects = page.contents ?? [];
    yield* objects;
    startAfter = page.isTruncated ? objects.at(-1)?.key : undefined;
  } while (startAfter !== undefined);
}

/** Opens the bucket of photos. */
export function openBucket(address: string): Bucket {
  const { client, prefix } = openBucketAddress(address);
  const file = (name: string) => client.file(`${prefix}${name}`);

  return {
    put: (name, content) => reaching(async () => void (await file(name).write(content))),
    get: (name) =>
      reaching(async () => {
        try {
          return new Blob([await file(name).arrayBuffer()]);
        } catch (error) {
          if (isMissing(error)) return undefined;
          throw error;
        }
      }),
    remove: (name) => reaching(() => file(name).delete()),
    async *names() {
      const list = (options: S3ListObjectsOptions) => reaching(() => client.list(options));
      for await (const { key } of objectsIn(list, prefix)) yield key.slice(prefix.length);
      return undefined;
    },
  };
}

async function reaching<T>(work: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('the bucket takes too long')), LIMIT_MS);
  try {
    return await Promise.race([work(), late.promise]);
  } catch (cause) {
    throw new Failure(
      'service_unavailable',
      'The service cannot reach the bucket of its photos; try again shortly.',
      { retryAfterSeconds: RETRY_SECONDS, cause },
    );
  } finally {
    clearTimeout(timer);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'NoSuchKey';
}
