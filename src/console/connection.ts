/** Whether the service can be reached, as the last requests have shown. */
import { signal } from '@preact/signals';

/** Milliseconds between two tries to reach the service. */
const TRY_EVERY_MS = 3_000;

/** When the service last answered. */
export const lastSeen = signal(new Date());

/** Whether the last request got no response. */
export const isLost = signal(false);

let timer: ReturnType<typeof setInterval> | undefined;

/** Notes that the service has answered. */
export function noteResponse(): void {
  lastSeen.value = new Date();
  if (!isLost.value) return;
  clearInterval(timer);
  isLost.value = false;
}

/** Notes that a request got no response, and tries until there is one again. */
export function noteLoss(): void {
  if (isLost.value) return;
  isLost.value = true;
  timer = setInterval(tryAgain, TRY_EVERY_MS);
}

/** Asks the service whether it is there. */
export async function tryAgain(): Promise<void> {
  try {
    await fetch('/livez', { cache: 'no-store' });
    noteResponse();
  } catch {
    noteLoss();
  }
}

/** Starts to listen to the browser, which knows at once when the network goes away. */
export function watchConnection(): void {
  addEventListener('offline', noteLoss);
  addEventListener('online', () => void tryAgain());
}
