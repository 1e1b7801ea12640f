import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { programPath } from './program.ts';

/** Programs in the order of what they cost: the headless shell, without windows, takes two thirds of the time of the browser. */
const CHROMIUM = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The timeout of a browser test: the browser starts slowly while many tests run. */
export const BROWSER_TEST_MS = 300_000;

/** State that all files of a process share: Bun loads this module again for each file. */
const KEY = Symbol.for('petstore.test.browser');
// The symbol is our own, so nothing else uses it.
const everywhere = globalThis as { [KEY]?: Promise<Browser> };

/**
 * The Chromium of this process, which ends with it. Each test has a profile of its own. If Chromium
 * has crashed, another one is started.
 */
export async function sharedBrowser(): Promise<Browser> {
  const running = await everywhere[KEY];
  if (running?.isConnected()) return running;
  everywhere[KEY] = launchBrowser();
  return everywhere[KEY];
}

/** The path of the Chromium for tests. */
export function chromiumPath(): string {
  return programPath('chromium-headless-shell', ...CHROMIUM);
}

/** A Chromium without background requests. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Containers have a small /dev/shm, and Chromium crashes when it is full.
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A page, and everything that went wrong on it: errors, violations, requests to other origins. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** Opens a page that may only send requests to `origin`. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    // A window that people look at may write there without being asked; the headless shell asks.
    permissions: ['clipboard-write'],
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(url)) {
      complaints.push(`foreign request: ${url}`);
    }
  });
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
    console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI);
  });`);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

const axeSource = await Bun.file(
  new URL('../../node_modules/axe-core/axe.min.js', import.meta.url),
).text();

const AXE_OPTIONS = "{ resultTypes: ['violations'], selectors: false }";

/** The findings of axe-core, except `except`: each rule and the elements that break it. */
export async function accessibilityViolations(
  page: Page,
  except: readonly string[] = [],
): Promise<string[]> {
  // Through the debugger, so that the page's own policy stays in place.
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(axeSource);
  // Only violations are read, so nothing is collected about other results.
  const found = await page.evaluate<string[]>(`axe.run(${AXE_OPTIONS}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join(' ')))`);
  return found.filter((violation) => !except.some((rule) => violation.startsWith(`${rule}:`)));
}

/** How much wider the content of a page is than its window, in pixels. */
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** How a person sees a page. */
export interface Look {
  readonly colorScheme: 'light' | 'dark';
  /** Of the window, in pixels. */
  readonly width: number;
}

/** Light at one width and dark at the other: what a page shows depends on one or the other. */
export function looksAt(light: number, dark: number): readonly Look[] {
  return [
    { colorScheme: 'light', width: light },
    { colorScheme: 'dark', width: dark },
  ];
}

/**
 * Looks at a page as it is now in several ways. Returns the findings of axe-core, and whether people
 * would have to scroll sideways.
 */
export async function looksWrong(page: Page, looks = looksAt(1280, 320)): Promise<string[]> {
  const findings: string[] = [];
  for (const { colorScheme, width } of looks) {
    await page.setViewportSize({ width, height: 740 });
    await page.emulateMedia({ colorScheme });
    const overflow = await page.evaluate<number>(OVERFLOW);
    const found = await accessibilityViolations(page);
    if (overflow > 0) found.push(`${overflow} pixels too wide`);
    findings.push(...found.map((finding) => `${colorScheme}, ${width}: ${finding}`));
  }
  return findings;
}

/**
 * Waits until an expression is true on a page. Playwright's own `waitForFunction` evaluates text on the
 * page, which the policy of our pages forbids.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await eventually(() => page.evaluate<boolean>(`Boolean(${expression})`), Boolean);
}

/** Scrolls through a page, so that lazily loaded parts appear. */
export async function scrollThrough(page: Page): Promise<void> {
  for (let step = 0; step < 40; step++) {
    await page.mouse.wheel(0, 800);
    await page.waitForTimeout(30);
  }
}
