import { describe, expect, test } from 'bun:test';
import { EMPTY_SHOP, type Shop } from '../../../src/domain/shop.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { anyState, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const HOME: Shop = {
  ...EMPTY_SHOP,
  name: `Home "😺'; --`,
  address: 'Mill Lane\nExeter',
  accentColour: '#2F6f4f',
};

describeContract((engine) => {
  describe('the shop', () => {
    const subject = forEachTest(() => openSubject(engine));

    const get = async () => await subject.storage.shop.get();

    test('changes at once lose nothing', async () => {
      await using another = await subject.another();
      const fields = ['name', 'address', 'telephone', 'hours'] as const;
      await Promise.all(
        fields.map(async (field, n) => {
          const { shop } = n % 2 === 0 ? subject.storage : another.storage;
          await shop.update({ [field]: field }, CHANGE_STAMP, anyState);
        }),
      );
      const { name, address, telephone, hours } = await get();
      expect([name, address, telephone, hours]).toEqual([...fields]);
    });

    test('outlasts a reset', async () => {
      await subject.storage.shop.update(HOME, CHANGE_STAMP, anyState);
      await subject.storage.reset(CHANGE_STAMP);
      expect(await get()).toEqual(HOME);
    });

    test('has one name for the entries of its feeds, that of the first to ask', async () => {
      await using another = await subject.another();
      const tags = await Promise.all([
        subject.storage.shop.feedTag('tag:a.example,2026-01-01:'),
        another.storage.shop.feedTag('tag:b.example,2026-01-01:'),
      ]);
      expect(tags[0]).toBe(tags[1]);
      await subject.reopen();
      expect(await subject.storage.shop.feedTag('tag:c.example,2026-01-01:')).toBe(tags[0]);
    });

    test('has one secret for its forms, that of the first to ask', async () => {
      await using another = await subject.another();
      const secrets = await Promise.all([
        subject.storage.shop.formSecret('one'),
        another.storage.shop.formSecret('two'),
      ]);
      expect(secrets[0]).toBe(secrets[1]);
      expect(await subject.storage.shop.formSecret('three')).toBe(secrets[0]);
    });
  });
});
