import { createHash } from 'node:crypto';

/** Text that is HTML already. Made by {@link html} alone, which escapes everything that is put into it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | Html | readonly Html[] | undefined;

/** A piece of a page: what is put in is escaped, for text and for quoted attributes alike. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.reduce((before, text, at) => before + written(parts[at - 1]) + text));
}

function written(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part !== 'string') return part.map((it) => it.text).join('');
  return part.replace(/[&<>"']/g, (it) => `&#${it.charCodeAt(0)};`);
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; color: CanvasText; background: Canvas; }
main { box-sizing: border-box; width: 100%; max-width: 30rem; padding: 2rem 1.5rem; }
h1 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 1rem; overflow-wrap: anywhere; }
p, ul, dl { margin: 0 0 1rem; overflow-wrap: anywhere; }
dt { opacity: .75; } dd { margin: 0 0 .6rem; font-weight: 600; }
ul { padding-left: 1.2rem; }
label { display: block; margin-bottom: .3rem; }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; margin-bottom: 1rem; }
button { font: inherit; padding: .5rem 1.2rem; margin-right: .6rem; cursor: pointer; }
:focus-visible { outline: 2px solid Highlight; outline-offset: 2px; }
[role=alert] { border-left: 3px solid #c33; padding-left: .7rem; }
`;
const styleHash = createHash('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

export interface PageMore {
  readonly status?: number;
  readonly cookies?: readonly string[];
  /** Inside `<head>`. */
  readonly head?: Html;
}

/** A whole page, without scripts, shown in no frame and kept by nobody. */
export function page(title: string, body: Html, { status = 200, cookies = [], head }: PageMore = {}): Response {
  const { text } =
    html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} - Switchboard</title>${head}<style>${new Html(style)}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`;
  const response = new Response(text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
      // With no-referrer a browser would send `Origin: null` with our own forms.
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
    },
  });
  for (const it of cookies) response.headers.append('set-cookie', it);
  return response;
}
