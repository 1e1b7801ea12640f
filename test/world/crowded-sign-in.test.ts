import { expect, test } from 'bun:test';
import { addPerson, PASSWORD } from '../support/people.ts';
import { startPetstore } from '../support/start.ts';

const MESSAGE = 'petstore fails while others sign in';

/** A service to which each request names the address that it comes from. */
async function startCrowded() {
  const settings = { PETSTORE_TRUSTED_PROXIES: '127.0.0.1', PETSTORE_ANONYMOUS_PER_MINUTE: '1000' };
  const petstore = await startPetstore({ settings });
  const { email } = await addPerson(petstore);

  async function signIn(address: string, password: string, account = email): Promise<number> {
    const response = await fetch(`${petstore.url}/console/session`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': address,
        'sec-fetch-site': 'same-origin',
      },
      body: JSON.stringify({ email: account, password }),
    });
    await response.body?.cancel();
    return response.status;
  }

  /** Keeps this many addresses at work, with this many sign-ins at a time each. Tells how many have ended. */
  function crowd(addresses: number, each: number) {
    const ends: Promise<unknown>[] = [];
    const counts = { ended: 0, refused: 0, isOver: false };
    for (let n = 0; n < addresses * each; n++) {
      const again = async (): Promise<void> => {
        for (let tried = 0; !counts.isOver; tried++) {
          const address = `198.51.100.${n % addresses}`;
          const status = await signIn(address, MESSAGE, `nobody.${n}.${tried}@example.org`);
          counts.ended++;
          if (status === 503) counts.refused++;
        }
      };
      ends.push(again());
    }
    return { counts, over: () => Promise.all(ends) };
  }
  return { petstore, signIn, crowd };
}

test('26 addresses at work on signing in let another one in after one turn of each', async () => {
  const { petstore, signIn, crowd } = await startCrowded();
  await using _ = petstore;
  const { counts, over } = crowd(26, 3);
  while (counts.ended < 30) await Bun.sleep(5);
  const before = counts.ended;
  expect(await signIn('203.0.113.9', PASSWORD)).toBe(204);
  expect(counts.ended - before).toBeLessThan(60);
  counts.isOver = true;
  await over();
  expect(counts.refused).toBe(0);
});

test('250 addresses cannot keep out somebody who has signed in from there before', async () => {
  const { petstore, signIn, crowd } = await startCrowded();
  await using _ = petstore;
  expect(await signIn('203.0.113.9', PASSWORD)).toBe(204);
  const { counts, over } = crowd(250, 1);
  while (counts.refused < 30) await Bun.sleep(5);
  expect(await signIn('203.0.113.9', PASSWORD)).toBe(204);
  counts.isOver = true;
  await over();
});
