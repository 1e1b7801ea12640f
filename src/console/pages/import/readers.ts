/** What only reads files: loaded with the first one. */
export { findEncoding } from '../../../import/encoding.ts';
export { createXlsxSource } from '../../../import/xlsx-rows.ts';
export { previewOf } from './preview.ts';
