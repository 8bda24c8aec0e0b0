import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { betweenParts, importer } from './src/webviews/contract/keptParts.ts';
import { type PageParts, toParts } from './src/webviews/pageDocument.ts';

const wholeOf = ({ style, script }: PageParts) => `${style}${betweenParts}${script}`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

/** The style and the script as they are added to the page. A script that runs by its digest may not import files by itself. */
export function chatParts(files: PageParts): PageParts {
  const { style, script } = toParts(files);
  const replaced = script.replaceAll(/\bimport(?=\("\.\/)/g, importer);
  if (replaced === script) throw new Error('The script of the chat page imports no files as they are replaced here.');
  const left = /\bimport\s*\(.{0,50}/s.exec(replaced)?.[0];
  if (left !== undefined) throw new Error(`The script of the chat page imports a file by itself: ${left}`);
  return { style, script: replaced };
}

/** Identifies the style and the script of this build to the browser. */
export const digestOf = ({ style, script }: PageParts): PageParts => ({ style: sha256(style), script: sha256(script) });

/** The style and the script of the chat page, as they are sent to it. */
export const packed = (parts: PageParts): Uint8Array => deflateRawSync(wholeOf(parts), { level: 9 });

/** Writes the file from which the window sends them. @returns their digests */
export function packChat(): PageParts {
  const read = (name: string) => readFileSync(`dist/media/${name}`, 'utf8');
  const parts = chatParts({ style: read('chat.css'), script: read('chat.js') });
  writeFileSync('dist/media/chat.parts', packed(parts));
  return digestOf(parts);
}
