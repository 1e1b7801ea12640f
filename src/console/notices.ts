/** Short messages about what was just done. */
import { signal } from '@preact/signals';

/** A message, perhaps with a way to undo what it reports. */
export interface NoticeContent {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => Promise<void>) | undefined;
}

/** The messages on the screen, the oldest first. */
export const notices = signal<readonly NoticeContent[]>([]);

let lastId = 0;

/**
 * Tells the person something. With `undo`, the message has a button for it, and stays until it is
 * dismissed or the next one with `undo` takes its place.
 */
export function notify(text: string, undo?: () => Promise<void>): void {
  const others = undo ? notices.value.filter((notice) => !notice.undo) : notices.value;
  notices.value = [...others, { id: ++lastId, text, undo }];
}

/** Takes a message away. */
export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Takes all messages away. */
export function dismissAll(): void {
  notices.value = [];
}
