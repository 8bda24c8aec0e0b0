import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { HttpResponse } from '../../platform/httpMessages.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
};

/** Scripts and styles of our own only, no frames around us, nothing from elsewhere. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** The answer to what follows `/ui`; `undefined` where nothing was built. */
export type Pages = (path: string) => Promise<HttpResponse | undefined>;

/** The built pages below `/ui/`. Every address that names no file is the one page: what it shows is in its address. */
export function openPages(folder: string): Pages {
  const kept = new Map<string, Promise<Uint8Array | undefined>>();
  const read = (name: string) => {
    const known = kept.get(name);
    if (known) return known;
    // A name that is no file is not remembered: anybody can think of another one.
    const reading = readFile(join(folder, name)).catch(() => {
      kept.delete(name);
      return undefined;
    });
    kept.set(name, reading);
    return reading;
  };
  return async (path) => {
    if (path === '') return new Response(null, { status: 308, headers: { location: '/ui/' } });
    const asked = path.slice(1);
    const name = /^[a-z0-9-]+\.(?:js|css|svg|ttf)$/.test(asked) ? asked : 'index.html';
    const bytes = await read(name);
    if (!bytes) return undefined;
    return new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: {
        'content-type': types[extname(name)] ?? 'application/octet-stream',
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
      },
    });
  };
}
