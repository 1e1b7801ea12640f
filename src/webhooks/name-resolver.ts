/** A name without addresses. The message is a sentence that names no server. */
export class UnresolvedName extends Error {
  override readonly name = 'UnresolvedName';
}

/** Returns every address of a name, IPv4 first. Throws `UnresolvedName`. */
type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** One question to one server. With a second server or a repetition, twice as long. */
const QUESTION_MS = 1_500;
const QUESTIONS = 2;
const RESOLUTION_MS = 4_000;
/** Many events for one receiver should not become as many questions. */
const REMEMBERED_MS = 1_000;
const REMEMBERED_MAX = 1_000;

/** The error codes for a name that does not exist, or has no address of one family. */
const NO_ADDRESS = ['ENOTFOUND', 'ENODATA'];

/**
 * Creates a resolver that asks DNS servers directly: those given (`127.0.0.1:53`), or those of the
 * system. `dns.lookup` would also read /etc/hosts, but it occupies a thread of the runtime's small
 * pool until a slow server answers, and cannot be cancelled. Addresses are remembered for a second,
 * measured with `now` in milliseconds.
 */
export function createNameResolver(
  servers?: readonly string[],
  now: () => number = () => performance.now(),
): ResolveName {
  const remembered = new Map<string, { readonly addresses: readonly string[]; until: number }>();

  return async (name, signal) => {
    // RFC 6761: not a question for DNS.
    if (/(?:^|\.)localhost$/.test(name)) return ['127.0.0.1'];
    const known = remembered.get(name);
    if (known !== undefined && now() < known.until) return known.addresses;
    const addresses = await ask(name, servers, signal);
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(name, { addresses, until: now() + REMEMBERED_MS });
    return addresses;
  };
}

/** Asks for the addresses of both families. Throws `UnresolvedName`. */
async function ask(
  name: string,
  servers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { Resolver } = await import('node:dns/promises');
  // One resolver for each name, because `cancel` ends all questions of a resolver.
  const resolver = new Resolver({ timeout: QUESTION_MS, tries: QUESTIONS });
  if (servers !== undefined) resolver.setServers([...servers]);
  const cancel = () => resolver.cancel();
  const timer = setTimeout(cancel, RESOLUTION_MS);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    if (addresses.length === 0) throw new UnresolvedName(problemOf(answers));
    return addresses;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

function problemOf(answers: readonly PromiseSettledResult<unknown>[]): string {
  const isCertain = answers.every(
    (answer) => answer.status === 'fulfilled' || NO_ADDRESS.includes(answer.reason?.code),
  );
  return isCertain ? 'The name has no address.' : 'The name could not be resolved.';
}
