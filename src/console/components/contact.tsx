import { Fragment } from 'preact';

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
