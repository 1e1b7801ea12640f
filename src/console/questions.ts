/** Questions that the frame shows in a dialog above the page. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';

/** A question on the screen. */
interface Question {
  readonly id: number;
  readonly dialog: VNode;
}

/** The open questions, the newest last. */
export const questions = signal<readonly Question[]>([]);

let lastId = 0;

/** Shows a dialog until it calls `answer`, and returns that answer. */
export function ask<T>(dialogWith: (answer: (value: T) => void) => VNode): Promise<T> {
  const id = ++lastId;
  return new Promise((resolve) => {
    function answer(value: T) {
      questions.value = questions.value.filter((question) => question.id !== id);
      resolve(value);
    }
    questions.value = [...questions.value, { id, dialog: dialogWith(answer) }];
  });
}

/** Takes all questions away. Nobody gets an answer. */
export function dropQuestions(): void {
  questions.value = [];
}
