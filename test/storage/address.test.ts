import { describe, expect, test } from 'bun:test';
import { databaseAddressProblem, redactPassword } from '../../src/storage/address.ts';

describe('an address of a database', () => {
  test.each([
    'sqlite:shop.db',
    'postgres://db.example/shop',
    'postgresql://user:secret@db.example:5432/shop?sslmode=require',
    'postgres://user:p%2Cw@a.example:5432,b.example,[::1]:5433/shop?sslmode=verify-full',
  ])('may be %p', (address) => {
    expect(databaseAddressProblem(address)).toBeUndefined();
  });

  test.each([
    '',
    'sqlite:',
    'shop.db',
    'postgres:',
    'postgres://',
    'postgres://host',
    'mysql://h/d',
    'postgres://a,,b/d',
    'postgres://a:5432,b:port/d',
    'postgres://a,b',
  ])('may not be %p', (address) => {
    expect(databaseAddressProblem(address)).toMatch(/must be sqlite:PATH.*postgres:/);
  });

  test.each([
    ['sqlite:shop.db', 'sqlite:shop.db'],
    ['postgres://user@host/shop', 'postgres://user@host/shop'],
    ['postgres://user:se/c@ret@host:5432/shop', 'postgres://user:***@host:5432/shop'],
    [
      'postgres://host/shop?user=a&password=secret&x=1',
      'postgres://host/shop?user=a&password=***&x=1',
    ],
    ['cannot reach postgres://u:p@h/d now', 'cannot reach postgres://u:***@h/d now'],
    ['from postgres://u:p q@h/d to redis://:r@h', 'from postgres://u:***@h/d to redis://:***@h'],
    ['postgres://u:a,b@h:1,i:2/d', 'postgres://u:***@h:1,i:2/d'],
    ['postgres://u@h:1,i:2/d', 'postgres://u@h:1,i:2/d'],
    ['http://127.0.0.1:8080/v1 and [::1]:80', 'http://127.0.0.1:8080/v1 and [::1]:80'],
  ])('%p is shown as %p', (address, shown) => {
    expect(redactPassword(address)).toBe(shown);
  });
});
