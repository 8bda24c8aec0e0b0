/** `dist/jsonc.cjs`: loaded when servers are imported from a file with comments. */
export { parse } from 'jsonc-parser';
