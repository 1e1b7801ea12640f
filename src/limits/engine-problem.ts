/** What is wrong with an engine: nobody is there, it is silent, or it refuses us; `other` is no engine for us. */
export type EngineFault = 'nobody' | 'silent' | 'certificate' | 'password' | 'other';

/** By the code of an error or the beginning of its message. */
const FAULTS: readonly (readonly [EngineFault, RegExp])[] = [
  ['nobody', /^(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH)/],
  ['silent', /^(?:ETIMEDOUT|connect ETIMEDOUT|Command timed out)/],
  ['certificate', /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|^certificate|self.signed/],
  ['password', /^(?:NOAUTH|WRONGPASS)/],
];

/** Returns what an error of the client says of the engine. */
export function problemOf(error: unknown): {
  readonly fault: EngineFault;
  readonly reason: string;
} {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const found = FAULTS.find(([, pattern]) => pattern.test(code) || pattern.test(message));
  const fault = found?.[0] ?? 'other';
  const said = code === '' || message.includes(code) ? message : `${message} (${code})`;
  return {
    fault,
    reason: fault === 'certificate' ? `its certificate is not trusted: ${said}` : said,
  };
}
