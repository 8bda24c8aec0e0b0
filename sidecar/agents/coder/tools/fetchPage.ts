import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import { type CoderTool, tool } from './tool.ts';

const LIMIT_MS = 30_000;
const MOST_BYTES = 1_000_000;
const MOST_CHARACTERS = 60_000;

/** The user approves the exact address. Therefore, a redirect to another address is reported, not followed. */
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
      const { response, body } = await load(url, limit).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw new Fault('unavailable', 'The address could not be loaded. Check it, or try again later.', { cause });
      });
      const target = response.headers.get('location');
      if (isRedirect(response) && target !== null) {
        const to = URL.parse(target, url)?.href;
        if (to === undefined) throw new Fault('unavailable', 'The address redirects to an address that is not valid.');
        return { text: `It redirects to ${to}. Fetch that address.`, past: `Fetched ${url}` };
      }
      const type = response.headers.get('content-type') ?? '';
      const text = new TextDecoder().decode(body);
      if (text.includes('\0')) throw new Fault('invalid_params', `The content of the address is not text (${type}).`);
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

const isRedirect = ({ status }: Response): boolean => status >= 300 && status < 400;

async function load(url: string, signal: AbortSignal): Promise<{ response: Response; body: Uint8Array }> {
  const response = await fetch(url, { redirect: 'manual', signal });
  return { response, body: await firstBytes(response) };
}

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

/** The contents of these elements are not text. */
const hidden = /^(script|style|svg|head)(?![\w-])/i;
const startsLine = /^\/?(p|div|h[1-6]|li|tr|br|pre|section|article|ul|ol|table|blockquote)(?![\w-])/i;

/** The text of a page. Takes linear time, because pages come from outside. */
export function textOfHtml(html: string): string {
  return withoutMarkup(html)
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => entities[name] ?? '')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function withoutMarkup(html: string): string {
  const pieces: string[] = [];
  const unclosed = new Set<string>();
  let at = 0;
  const skipPast = (end: number, length: number) => (at = end === -1 ? html.length : end + length);
  for (;;) {
    const open = html.indexOf('<', at);
    pieces.push(html.slice(at, open === -1 ? html.length : open));
    if (open === -1) return pieces.join('');
    at = open + 1;
    if (html.startsWith('!--', at)) {
      skipPast(html.indexOf('-->', at), 3);
      continue;
    }
    const tag = html.slice(at, at + 20);
    if (!/^[a-z/!?]/i.test(tag)) {
      pieces.push('<');
      continue;
    }
    if (startsLine.test(tag)) pieces.push('\n');
    skipPast(html.indexOf('>', at), 1);
    const name = hidden.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined || unclosed.has(name)) continue;
    const end = endOf(name, html, at);
    if (end === -1) unclosed.add(name);
    // HTML allows a head without an end tag.
    if (end !== -1 || name !== 'head') skipPast(end, 0);
  }
}

/** Where the end tag of an element begins. `-1` if there is none. */
function endOf(name: string, html: string, from: number): number {
  const end = new RegExp(`</${name}(?![\\w-])`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? -1;
}
