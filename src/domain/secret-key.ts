/** The length of a key for AES-256. */
const KEY_BYTES = 32;

/** Reads a key of 32 bytes from base64, base64url or hex. Returns undefined for any other text. */
export function secretKeyFromText(text: string): Uint8Array | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES ? key : undefined;
}
