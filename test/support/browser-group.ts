import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { BROWSER_TEST_MS, sharedBrowser } from './browser.ts';
import { type StartOptions, startPetstore, type TestPetstore } from './start.ts';

/** The browser and the service of a group of tests. Both are there while the tests run. */
export interface BrowserGroup {
  readonly browser: Browser;
  readonly petstore: TestPetstore;
}

export interface GroupOptions extends StartOptions {
  /** Starts a service for each test; by default they share one. */
  readonly isolated?: boolean;
}

/** Describes tests that share a Chromium. */
export function describeInBrowser(
  name: string,
  { isolated = false, ...options }: GroupOptions,
  describeTests: (group: BrowserGroup) => void,
): void {
  describe(`${name}`, () => {
    let browser: Browser | undefined;
    let petstore: TestPetstore | undefined;
    beforeEach(async () => {
      browser = await sharedBrowser();
    }, BROWSER_TEST_MS);
    (isolated ? beforeEach : beforeAll)(async () => {
      petstore = await startPetstore(options);
    }, BROWSER_TEST_MS);
    (isolated ? afterEach : afterAll)(() => petstore?.[Symbol.asyncDispose]());
    describeTests({
      get browser() {
        return running(browser);
      },
      get petstore() {
        return running(petstore);
      },
    });
  });
}

/** A test with the time that a browser needs on a busy machine. */
export function browserTest(name: string, run: () => Promise<void>): void {
  test(name, run, BROWSER_TEST_MS);
}

function running<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('It is only there while a test runs');
  return part;
}
