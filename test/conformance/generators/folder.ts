import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { picture } from '../../support/pictures.ts';
import type { SuiteContext } from '../suite.ts';

/** The document that the guide names for every generator. */
export const DOCUMENT = 'openapi-3.0.json';
/** A photo of 60 by 40 pixels, beside the document. */
const PHOTO = 'photo.jpg';

/** Creates a folder with the document of the service and a photo, for one generator. */
export async function folderFor(name: string, { tools, service }: SuiteContext): Promise<string> {
  const folder = join(tools.work, name);
  mkdirSync(folder);
  const response = await fetch(`${service.url}/${DOCUMENT}`);
  writeFileSync(join(folder, DOCUMENT), await response.text());
  writeFileSync(join(folder, PHOTO), await picture(60, 40));
  return folder;
}

/** What the programs read from their environment. */
export function variables(
  { service }: SuiteContext,
  folder: string,
): Readonly<Record<string, string>> {
  return {
    PETSTORE_URL: `${service.url}/v1`,
    PETSTORE_KEY: service.key,
    PETSTORE_PHOTO: join(folder, PHOTO),
  };
}
