/** A mapping that cannot be read. The message is a sentence, or the end of one about its text. */
export class WrongMapping extends Error {}
