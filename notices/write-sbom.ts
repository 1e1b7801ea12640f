/** `npm run sbom`: prints the software bill of materials of what is installed, in CycloneDX. */
import { billOfMaterials } from './sbom.ts';

console.log(JSON.stringify(billOfMaterials(), undefined, 2));
