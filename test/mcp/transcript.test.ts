import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR_MS } from '../../src/domain/clock.ts';
import { addEnquiry, addListed } from '../support/enquiries.ts';
import { startPetstore } from '../support/start.ts';
import { connect } from './connect.ts';

const GUIDE = join(import.meta.dir, '../../docs/guides/assistants.md');

test('an assistant reads the enquiries about an animal as the guide shows them', async () => {
  await using petstore = await startPetstore();
  const { storage, clock } = petstore;
  const petId = await addListed(storage, 'Rex');
  for (const hours of [26, 5, 1]) {
    const letter = { petId, name: 'A family', message: 'Is Rex still there?' };
    await addEnquiry(storage, letter, clock.now() - hours * HOUR_MS);
  }
  const { text: key } = await petstore.keyWith({ scopes: ['write'] });
  await using assistant = await connect(petstore, key);
  const { text, value } = await assistant.call('todays_work');
  expect(text).not.toContain('family');
  expect(readFileSync(GUIDE, 'utf8')).toContain(`\`${JSON.stringify(value.enquiries)}\``);
});
