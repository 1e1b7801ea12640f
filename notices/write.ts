/** `npm run notices`: writes THIRD-PARTY-NOTICES.txt from what is installed. */
import { writeFileSync } from 'node:fs';
import { NOTICES_PATH, thirdPartyNotices } from './third-party.ts';

writeFileSync(NOTICES_PATH, thirdPartyNotices());
