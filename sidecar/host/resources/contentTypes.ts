import { extname } from 'node:path';

const byEnding: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

/** By the ending of the name alone; a hint, never a reason to run or to show something. */
export function contentTypeOf(path: string): string | undefined {
  const ending = extname(path).slice(1).toLowerCase();
  return Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined;
}
