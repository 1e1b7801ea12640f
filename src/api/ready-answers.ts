import type { TextAnswer } from './answers.ts';

/**
 * Bounds of what is kept: enough for the pages and animals that everybody asks for. The second
 * counts characters of bodies.
 */
const ANSWERS_MAX = 10_000;
const CHARACTERS_MAX = 32 * 1_048_576;

/** Where the answer to one target is kept. Only this store writes there. */
export interface ReadySlot {
  ready: TextAnswer | undefined;
}

/**
 * Answers that are kept ready, each good until any record changes. A list costs a query and its
 * JSON, about 18 µs of 27; kept ready it costs the check below.
 */
export interface ReadyAnswers {
  /** The answer that was kept in this slot while `version` was as it is. */
  find(slot: ReadySlot, version: number): TextAnswer | undefined;
  /** Keeps an answer that was made after `version` was read, and at once. */
  keep(slot: ReadySlot, version: number, answer: TextAnswer): void;
}

/** Makes an empty store. It forgets everything at a change, or when it is full. */
export function createReadyAnswers(): ReadyAnswers {
  const filled: ReadySlot[] = [];
  let characters = 0;
  let current = Number.NaN;

  function turnTo(version: number): void {
    if (version === current) return;
    current = version;
    forget();
  }

  function forget(): void {
    for (const slot of filled) slot.ready = undefined;
    filled.length = 0;
    characters = 0;
  }

  return {
    find(slot, version) {
      turnTo(version);
      return slot.ready;
    },
    keep(slot, version, answer) {
      turnTo(version);
      const length = answer.body?.length ?? 0;
      if (filled.length >= ANSWERS_MAX || characters + length > CHARACTERS_MAX) forget();
      characters += length;
      slot.ready = answer;
      filled.push(slot);
    },
  };
}
