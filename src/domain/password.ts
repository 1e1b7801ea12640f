import { foldCase, normalized } from './name.ts';
import { foldEmail, type Person } from './person.ts';

/** Lengths in characters (Unicode code points). Only the length makes a password hard to guess. */
const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 1_000;

/** Common passwords that are long enough, without spaces and in lower case. */
const COMMON: ReadonlySet<string> = new Set(
  `123456789012 1234567890123 1234567890ab 123456abcdef 123qweasdzxc 1q2w3e4r5t6y 1qaz2wsx3edc
  abc123456789 abcdefghijkl abcd12345678 adminadminadmin administrator administrator1 changemeplease
  correcthorsebatterystaple football1234 iloveyou1234 iloveyouforever ihateyou1234 letmeinletmein
  letmein12345 monkey123456 mypassword12 mypassword123 passwordpassword password1234 password12345
  password123456 password2024 password2025 password2026 petstore1234 petstorepetstore princess1234
  q1w2e3r4t5y6 qazwsxedcrfv qwerty123456 qwerty12345678 qwertyqwerty qwertyuiop12 qwertyuiop123
  qwertyuiop[] qwertyuiopasdf sheltershelter shelter12345 starwars1234 sunshine1234 superman1234
  trustno1trustno1 volunteer123 welcome12345 welcome123456 whatthehell1 zaq12wsxcde3`.split(/\s+/),
);

/** Returns a password as it is hashed: keyboards send the same letters composed or not. */
export function normalPassword(password: string): string {
  return normalized(password, 'NFC');
}

/** Returns why a person may not have this password, as the end of a sentence, or undefined. */
export function passwordProblem(
  password: string,
  { name, email }: Pick<Person, 'name' | 'email'>,
): string | undefined {
  const length = [...normalPassword(password)].length;
  if (length < PASSWORD_MIN) return `must have at least ${PASSWORD_MIN} characters`;
  if (length > PASSWORD_MAX) return `must have at most ${PASSWORD_MAX} characters`;
  const plain = withoutSpaces(password);
  const address = foldEmail(email);
  const own = [name, address, address.replace(/@.*/, '')].map(withoutSpaces);
  if (own.includes(plain)) return 'must not be your name or e-mail address';
  // Fewer than four different characters are one key held down, or two in turn.
  if (COMMON.has(plain) || new Set(plain).size < 4) return 'is too common: others would guess it';
  return undefined;
}

function withoutSpaces(text: string): string {
  return foldCase(normalPassword(text)).replace(/\s/g, '');
}
