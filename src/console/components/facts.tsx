/** What is known, as people read it: facts, a status, how to reach somebody. */

import { type ComponentChildren, Fragment } from 'preact';
import { translate } from '../language.ts';
import type { Answer, Pet, Stay } from '../service.ts';
import { statusName } from '../words.ts';

/** Names and values. Those without a value are left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="facts">
      {Object.entries(of)
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{translate(name)}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

/** The statuses of each colour but that of what has ended. Their meaning is always in the text too. */
const TONES = {
  good: ['available', 'answered', 'approved', 'active', 'delivered', 'enabled', 'sent'],
  waiting: ['pending', 'new', 'placed', 'invited', 'queued', 'running', 'trying again'],
  done: ['sold', 'adopted', 'completed'],
  bad: ['banned', 'failed', 'failing', 'held'],
};

/** What an animal is called by its status; one that has left, by how it did: `sold`, or `died`. */
export function standingOf(
  status: Pet['status'],
  stay: Pick<Stay, 'outcomeType'> | undefined,
): string {
  return status === 'sold' ? (stay?.outcomeType ?? status) : status;
}

/** A status as a dot and a word. */
export function Status({ value }: { readonly value: string }) {
  const [tone] = Object.entries(TONES).find(([, values]) => values.includes(value)) ?? ['ended'];
  return (
    <span class="status" data-tone={tone}>
      {statusName(value)}
    </span>
  );
}

/** One address, without a comma or a question mark that would add to the link. */
const EMAIL = /^[^\s@,;?&]+@[^\s@,;?&]+\.[^\s@,;?&]+$/;
const TELEPHONE = /^\+?[\d\s()/.-]{5,}$/;

interface ContactProps {
  readonly of: string;
  readonly subject?: string;
}

/** How to reach somebody: a link for each address to write to and each number to call. */
export function Contact({ of, subject }: ContactProps) {
  return (
    <span>
      {contactsIn(of).map((one, n) => (
        <Fragment key={one}>
          {n > 0 && ', '}
          <OneContact of={one} {...(subject !== undefined && { subject })} />
        </Fragment>
      ))}
    </span>
  );
}

/** The addresses and numbers of a contact. Of an enquiry it may have one of each. */
export function contactsIn(contact: string): readonly string[] {
  return [...new Set(contact.split(/, +/))];
}

function OneContact({ of, subject }: ContactProps) {
  const text = of.trim();
  if (EMAIL.test(text)) {
    const query = subject === undefined ? '' : `?subject=${encodeURIComponent(subject)}`;
    return <a href={`mailto:${encodeURIComponent(text).replace('%40', '@')}${query}`}>{of}</a>;
  }
  if (TELEPHONE.test(text)) return <a href={`tel:${text.replace(/[^\d+]/g, '')}`}>{of}</a>;
  return <>{of}</>;
}

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
