/** What only reads files: loaded with the first one. */
export { createXlsxSource } from '../../../import/xlsx-rows.ts';
export { previewOf } from './preview.ts';
