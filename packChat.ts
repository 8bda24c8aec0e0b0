import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { betweenParts } from './src/webviews/contract/keptParts.ts';
import { type PageParts, toParts } from './src/webviews/pageDocument.ts';

const wholeOf = ({ style, script }: PageParts) => `${style}${betweenParts}${script}`;

/** Identifies the style and the script of this build to the chat page. */
export const digestOf = (parts: PageParts): string => createHash('sha256').update(wholeOf(parts)).digest('base64');

/** The style and the script of the chat page, as they are sent to it. */
export const packed = (parts: PageParts): Uint8Array => deflateRawSync(wholeOf(parts), { level: 9 });

/** Writes the file from which the window sends them. @returns their digest */
export function packChat(): string {
  const read = (name: string) => readFileSync(`dist/media/${name}`, 'utf8');
  const parts = toParts({ style: read('chat.css'), script: read('chat.js') });
  writeFileSync('dist/media/chat.parts', packed(parts));
  return digestOf(parts);
}
