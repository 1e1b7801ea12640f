import type { TextAnswer } from './answers.ts';

/**
 * Bounds of what is kept: enough for the pages and animals that everybody asks for. The second
 * counts characters of bodies.
 */
const ANSWERS_MAX = 10_000;
const CHARACTERS_MAX = 32 * 1_048_576;

/**
 * Answers that are kept ready by their target, each good until any record changes. A list costs a
 * query and its JSON, about 18 µs of 27; kept ready it costs a look-up and the check below.
 */
export interface ReadyAnswers {
  /** The answer that was kept for a target while `version` was as it is. */
  find(target: string, version: number): TextAnswer | undefined;
  /** Keeps an answer that was made after `version` was read, and at once. */
  keep(target: string, version: number, answer: TextAnswer): void;
}

/** Makes an empty store. It forgets everything at a change, or when it is full. */
export function createReadyAnswers(): ReadyAnswers {
  const answers = new Map<string, TextAnswer>();
  let characters = 0;
  let current = Number.NaN;

  function turnTo(version: number): void {
    if (version === current) return;
    current = version;
    forget();
  }

  function forget(): void {
    if (answers.size === 0) return;
    answers.clear();
    characters = 0;
  }

  return {
    find(target, version) {
      turnTo(version);
      return answers.get(target);
    },
    keep(target, version, answer) {
      turnTo(version);
      characters += answer.body?.length ?? 0;
      if (answers.size >= ANSWERS_MAX || characters > CHARACTERS_MAX) forget();
      answers.set(target, answer);
    },
  };
}
