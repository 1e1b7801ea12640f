/**
 * Signing out a person who has left. What is loaded after the events of others counts as a use of
 * the session, so the service alone would keep that of a forgotten tab in a busy shop.
 */
import { effect } from '@preact/signals';
import { person, signOut } from './session.ts';

/** As long as the service waits for a request. */
const IDLE_MS = 8 * 60 * 60 * 1_000;
const CHECK_MS = 60_000;
const SIGNS_OF_USE = ['pointerdown', 'keydown', 'wheel'] as const;

/** Tabs tell each other that somebody is there. */
const tabs = new BroadcastChannel('petstore-use');
let lastUse = Date.now();
let lastTold = 0;

/** Starts to watch for signs of use in all tabs. */
export function watchUse(): void {
  for (const sign of SIGNS_OF_USE) addEventListener(sign, noteUse, { passive: true });
  tabs.addEventListener('message', () => {
    lastUse = Date.now();
  });
  // To sign in is a sign of use too.
  effect(() => {
    if (person.value) noteUse();
  });
  setInterval(() => {
    if (person.value && Date.now() - lastUse > IDLE_MS) void signOut().catch(() => {});
  }, CHECK_MS);
}

function noteUse(): void {
  lastUse = Date.now();
  if (lastUse - lastTold < CHECK_MS) return;
  lastTold = lastUse;
  tabs.postMessage('used');
}
