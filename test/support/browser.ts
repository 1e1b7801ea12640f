import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const found = CHROMIUM.find((path) => existsSync(path));

/** The reason why browser tests cannot run here, or undefined. CI never skips them. */
export const browserMissing: string | undefined =
  found === undefined && process.env['CI'] !== 'true'
    ? 'skipped: install Chromium (apt-get install chromium) to run them'
    : undefined;

/** The timeout of a browser test: the browser starts slowly while many tests run. */
export const BROWSER_TEST_MS = 300_000;

/** A Chromium with its own profile and no background requests. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: found ?? 'chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
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
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
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

/** Returns light and dark at each width. */
export function looksAt(...widths: readonly number[]): readonly Look[] {
  const schemes = ['light', 'dark'] as const;
  return widths.flatMap((width) => schemes.map((colorScheme) => ({ colorScheme, width })));
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

/** Scrolls through a page, so that lazily loaded parts appear. */
export async function scrollThrough(page: Page): Promise<void> {
  for (let step = 0; step < 40; step++) {
    await page.mouse.wheel(0, 800);
    await page.waitForTimeout(30);
  }
}
