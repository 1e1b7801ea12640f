import { advice, type Finding, passed } from '../../domain/finding.ts';
import { openConnection } from './connection.ts';
import { nameOf, reasonOf } from './primary.ts';

/** Inspects the hosts of an address one by one. Never throws. */
export async function hostFindings(hosts: readonly string[]): Promise<readonly Finding[]> {
  // The address itself is reported if it has one host.
  return hosts.length === 1 ? [] : await Promise.all(hosts.map(hostFinding));
}

async function hostFinding(host: string): Promise<Finding> {
  const name = nameOf(host);
  try {
    const connection = await openConnection(host);
    connection.end();
    const state = connection.isReadOnly ? 'is read-only, as a standby is' : 'takes writes';
    return passed('database', `${name} ${state}.`);
  } catch (error) {
    const todo = 'Repair it, or remove it from PETSTORE_DATABASE: no failover can lead there.';
    return advice('database', `${name} ${reasonOf(error)}.`, todo);
  }
}
