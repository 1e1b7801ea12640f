import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tools } from '../tools.ts';

/** The jar on Maven Central, with its SHA-256. */
const JAR = {
  version: '7.25.0',
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
};
export const JAR_VERSION = JAR.version;

/** Returns the path of the jar, which is downloaded first if it is missing. */
export async function generatorJar(tools: Tools): Promise<string> {
  const jar = join(tools.work, `../openapi-generator-${JAR.version}.jar`);
  if (!existsSync(jar)) await download(jar);
  return jar;
}

/** Downloads the jar, checked, into the folder of the tools. */
async function download(jar: string): Promise<void> {
  const path = `openapi-generator-cli/${JAR.version}/openapi-generator-cli-${JAR.version}.jar`;
  const url = `https://repo1.maven.org/maven2/org/openapitools/${path}`;
  const bytes = await (await fetch(url)).bytes();
  const sha256 = Bun.SHA256.hash(bytes, 'hex');
  if (sha256 !== JAR.sha256) throw new Error(`${url} has the SHA-256 ${sha256}`);
  writeFileSync(`${jar}.new`, bytes);
  renameSync(`${jar}.new`, jar);
}
