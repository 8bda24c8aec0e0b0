import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import { type CoderTool, tool } from './tool.ts';

const LIMIT_MS = 30_000;
const MOST_BYTES = 1_000_000;
const MOST_CHARACTERS = 60_000;

/** The person is asked with the exact address. A redirect is reported instead of followed: it leads to another address. */
export const fetchWith = (timers: Pick<Timers, 'deadline'>): CoderTool =>
  tool({
    name: 'fetch',
    kind: 'fetch',
    description: 'Gets the text of a web page or file with an http or https address. The user is asked first.',
    isReading: true,
    input: z.object({ url: z.url({ protocol: /^https?$/ }) }),
    async run({ url }, { confirm, signal }) {
      await confirm({
        kind: 'fetch',
        invocationMessage: `Fetch ${url}`,
        toolInput: JSON.stringify({ url }),
        paths: [],
      });
      const limit = AbortSignal.any([signal, timers.deadline(LIMIT_MS)]);
      const response = await fetch(url, { redirect: 'manual', signal: limit }).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw new Fault('unavailable', 'The address could not be reached. Check it, or try again later.', { cause });
      });
      const target = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && target !== null) {
        await response.body?.cancel();
        return { text: `It redirects to ${new URL(target, url).href}. Fetch that address.`, past: `Fetched ${url}` };
      }
      const type = response.headers.get('content-type') ?? '';
      const body = await firstBytes(response);
      const text = new TextDecoder().decode(body);
      if (text.includes('\0')) throw new Fault('invalid_params', `The address has no text (${type}).`);
      const plain = /html/.test(type) ? textOfHtml(text) : text;
      const shown =
        plain.length > MOST_CHARACTERS ? `${plain.slice(0, MOST_CHARACTERS)}\n(the rest was cut off)` : plain;
      return {
        text: response.ok ? shown : `Status ${response.status}.\n${shown}`,
        past: `Fetched ${url}`,
        ...(!response.ok && { hasFailed: true }),
      };
    },
  });

async function firstBytes({ body }: Response): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece as Uint8Array);
    size += (piece as Uint8Array).length;
    if (size >= MOST_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, MOST_BYTES);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };

/** What a page says, without its markup. */
export function textOfHtml(html: string): string {
  return html
    .replace(/<(script|style|svg|head)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<\/?(p|div|h[1-6]|li|tr|br|pre|section|article|ul|ol|table|blockquote)\b[^>]*>/gi, '\n')
    .replace(/<[^>]+>/g, '')
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => entities[name] ?? '')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
