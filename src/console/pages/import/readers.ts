/** What only reads files: loaded with the first one. */
export { findEncoding } from '../../../import/encoding.ts';
export { openSource } from '../../../import/open-source.ts';
export { previewOf } from './preview.ts';
