/** Whether the service can be reached, as the last requests have shown. */
import { computed, signal } from '@preact/signals';

/** Milliseconds between two tries to reach the service. */
const TRY_EVERY_MS = 3_000;
const TRY_TIMEOUT_MS = 10_000;

/** When the service last answered. */
export const lastSeen = signal(new Date());

/** Whether the last request got no response. */
export const isLost = signal(false);

/** When the service takes requests again after too many of them; undefined if it does now. */
export const busyUntil = signal<Date | undefined>(undefined);

/** Whether there is no point in asking the service now. */
export const isAway = computed(() => isLost.value || busyUntil.value !== undefined);

let timer: ReturnType<typeof setInterval> | undefined;
let busyTimer: ReturnType<typeof setTimeout> | undefined;

/** Notes that the service has answered. */
export function noteResponse(): void {
  lastSeen.value = new Date();
  if (!isLost.value) return;
  clearInterval(timer);
  isLost.value = false;
}

/** Notes that a request got no response, and keeps trying until one gets it again. */
export function noteLoss(): void {
  if (isLost.value) return;
  isLost.value = true;
  timer = setInterval(tryAgain, TRY_EVERY_MS);
}

/** Notes that the service refused a request because of too many before, for these seconds. */
export function noteTooMany(seconds: number): void {
  const wait = seconds * 1_000;
  clearTimeout(busyTimer);
  busyUntil.value = new Date(Date.now() + wait);
  busyTimer = setTimeout(() => {
    busyUntil.value = undefined;
  }, wait);
}

/** Asks the service whether it is there. */
export async function tryAgain(): Promise<void> {
  try {
    await fetch('/livez', { cache: 'no-store', signal: AbortSignal.timeout(TRY_TIMEOUT_MS) });
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
