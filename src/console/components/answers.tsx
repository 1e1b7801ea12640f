import { Fragment } from 'preact';
import type { Answer } from '../service.ts';
import { statusName } from '../words.ts';

/** The answers of a family to the questions of the shop. */
export function Answers({ of }: { readonly of: readonly Answer[] }) {
  return (
    <dl class="facts">
      {of.map(({ id, label, answer }) => (
        <Fragment key={id}>
          <dt>{label}</dt>
          <dd class="written">{wordOf(answer)}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

const wordOf = (answer: string) =>
  answer === 'yes' || answer === 'no' ? statusName(answer) : answer;
