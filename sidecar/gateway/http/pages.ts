import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { HttpResponse } from '../../platform/httpMessages.ts';
import { languages } from '../../protocol/words/languages.ts';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
};

/** Scripts and styles of our own only, no frames around us, nothing from elsewhere. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Without it there are no pages. */
const script = 'admin.js';

/** Names the script that draws it and its styles; all that it shows is in them. */
const page = `<!DOCTYPE html>
<html lang="en" data-place="browser">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="admin.css" />
    <title>Switchboard</title>
  </head>
  <body>
    <script type="module" src="${script}"></script>
  </body>
</html>
`;

/** The answer to what follows `/ui`; `undefined` where nothing was built. */
export type Pages = (path: string) => Promise<HttpResponse | undefined>;

/** The translations, which the editor loads from there too. Below the folder of the package that the pages are in. */
const translations = join('..', '..', '..', 'media', 'l10n');
const translationNames: ReadonlySet<string> = new Set(languages.map((it) => `bundle.l10n.${it}.json`));

/** The built pages below `/ui/`. Every address that names no file is the one page: what it shows is in its address. */
export function openPages(folder: string): Pages {
  const kept = new Map<string, Promise<Uint8Array | undefined>>();
  const read = (name: string) => {
    const known = kept.get(name);
    if (known) return known;
    // A name that is no file is not remembered: anybody can think of another one.
    const reading = readFile(join(folder, translationNames.has(name) ? translations : '.', name)).catch(() => {
      kept.delete(name);
      return undefined;
    });
    kept.set(name, reading);
    return reading;
  };
  return async (path) => {
    if (path === '') return new Response(null, { status: 308, headers: { location: '/ui/' } });
    const asked = path.slice(1);
    const isFile = /^[a-z0-9-]+\.(?:js|css|svg|ttf)$/.test(asked) || translationNames.has(asked);
    const bytes = await read(isFile ? asked : script);
    if (!bytes) return undefined;
    return new Response(isFile ? (bytes as Uint8Array<ArrayBuffer>) : page, {
      headers: {
        'content-type': isFile ? (types[extname(asked)] ?? 'application/octet-stream') : 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
      },
    });
  };
}
