/** Characters that no file name may have somewhere, and the sign that stands for them. */
const UNSAFE = /[%/\\:*?"<>|\p{Cc}]|^\.|[. ]$/gu;

/** Returns the name of the files of an animal's photos, without number and ending. */
export function photoFileStem(externalId: string): string {
  return externalId.replaceAll(UNSAFE, (sign) =>
    encodeURIComponent(sign).replace(/^[.* ]$/, hexOf),
  );
}

function hexOf(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Folds such a name: not every disk tells upper from lower case. */
export function foldedStem(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
