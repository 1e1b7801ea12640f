/**
 * The path of the first of these programs that is installed, also in /usr/sbin. Throws if none is,
 * with the Debian package to install.
 */
export function programPath(debianPackage: string, ...names: readonly string[]): string {
  const PATH = `${process.env['PATH']}:/usr/sbin`;
  const [found] = names.flatMap((name) => Bun.which(name, { PATH }) ?? []);
  if (found === undefined) {
    throw new Error(`install ${names.join(' or ')} (apt-get install ${debianPackage})`);
  }
  return found;
}
