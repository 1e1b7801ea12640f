// node types-problems.js FILE.tgz: prints what are-the-types-wrong finds in a packed package, as JSON.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';

const tarball = new Uint8Array(readFileSync(process.argv[2]));
const { types, problems } = await checkPackage(createPackageFromTarballData(tarball));
console.log(JSON.stringify({ types, problems }));
