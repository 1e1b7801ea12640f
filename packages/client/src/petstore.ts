import { Groups } from './generated/groups.ts';
import { type PetstoreOptions, Transport } from './transport.ts';

/** A Petstore service. One instance serves a whole program. */
export class Petstore extends Groups {
  constructor(options: PetstoreOptions) {
    super(new Transport(options));
  }
}
