// Made from openapi.json by `npm run openapi`.
/** The members to change; `null` clears one. */
export interface ShopChange {
  /** The name of the shop. `null` if it is not set. */
  name?: string | null | undefined;
  /** Its postal address, in several lines. `null` if it is not set. */
  address?: string | null | undefined;
  /** Its telephone number. `null` if it is not set. */
  telephone?: string | null | undefined;
  /** Its e-mail address. `null` if it is not set. */
  email?: string | null | undefined;
  /** When it is open. Plain text. `null` if it is not set. */
  hours?: string | null | undefined;
  /**
   * The colour of buttons and links, such as `#2f6f4f`. It is shown darker or lighter where text
   * on it could not be read. `null` if it is not set.
   */
  accentColour?: string | null | undefined;
  /** What to do to adopt an animal. Plain text. `null` if it is not set. */
  howToAdopt?: string | null | undefined;
}
