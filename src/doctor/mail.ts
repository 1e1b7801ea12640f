import { checkServer, reasonOf } from '../mail/send.ts';
import { type Finding, failed, passed } from './finding.ts';

/** Checks the mail server: connects and signs in, and sends nothing. */
export async function inspectMail(smtp: string): Promise<readonly Finding[]> {
  const { host } = new URL(smtp);
  try {
    await checkServer({ smtp });
    return [passed('mail', `The mail server ${host} can be reached.`)];
  } catch (error) {
    const found = `The mail server ${host} cannot be used: ${reasonOf(error)}.`;
    const todo =
      'Check host, port, user and password of PETSTORE_SMTP; with a password, a server that is not on this machine must offer TLS.';
    return [failed('mail', found, todo)];
  }
}
