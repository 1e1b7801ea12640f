const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/**
 * Returns 16 hexadecimal digits that tell a list of columns from others, whatever their order (FNV-1a). Browsers
 * compute it too.
 */
export function headerMark(columns: Iterable<string>): string {
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode([...columns].sort().join('\0'))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  }
  return hash.toString(16).padStart(16, '0');
}
