/** One address, without a comma or a question mark that would add to the link. */
const EMAIL = /^[^\s@,;?&]+@[^\s@,;?&]+\.[^\s@,;?&]+$/;
const TELEPHONE = /^\+?[\d\s()/.-]{5,}$/;

/** How to reach somebody: a link to write or to call, if the text is an address or a number. */
export function Contact({ of, subject }: { readonly of: string; readonly subject?: string }) {
  const text = of.trim();
  if (EMAIL.test(text)) {
    const query = subject === undefined ? '' : `?subject=${encodeURIComponent(subject)}`;
    return <a href={`mailto:${encodeURIComponent(text).replace('%40', '@')}${query}`}>{of}</a>;
  }
  if (TELEPHONE.test(text)) return <a href={`tel:${text.replace(/[^\d+]/g, '')}`}>{of}</a>;
  return <>{of}</>;
}
