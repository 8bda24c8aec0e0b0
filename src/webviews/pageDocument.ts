import { betweenParts, importer, keptParts } from './contract/keptParts.ts';

/** What a page looks like and what it runs, as text that ends neither element. */
export interface PageParts {
  readonly style: string;
  readonly script: string;
}

/** The browser keeps the parts, or the page gets them in a message. */
export interface PartsElsewhere {
  /** The SHA-256 digests of the parts of this build. */
  readonly digests: PageParts;
  /** The message is on its way, so the page does not ask for it immediately. */
  readonly areComing: boolean;
}

export interface PageDocument {
  /** The parts, or how a page that does not contain them gets them. */
  readonly parts: PageParts | PartsElsewhere;
  /** Made for this one page. */
  readonly nonce: string;
  /** Where the editor serves files of the package, as a policy names it. */
  readonly source: string;
  /** The address of the page's folder, where its fonts are, and what its script loads on demand. */
  readonly base: string;
  readonly language: string;
  readonly title: string;
  readonly bodyClass: string;
  /** Its elements set styles of their own, as charts do. */
  readonly isStyled: boolean;
  /** JSON that its script reads at startup. */
  readonly first?: string;
}

const toSourceMap = /\s*(?:\/\/# sourceMappingURL=\S+|\/\*# sourceMappingURL=\S+ \*\/)\s*$/;

/** @param files the contents of the files that the build wrote */
export const toParts = (files: PageParts): PageParts => ({
  style: files.style.replace(toSourceMap, '').replace(/<(?=\/style)/gi, '\\3c '),
  script: inScript(files.script.replace(toSourceMap, '')),
});

/** Of a page with one message and one button. @param said what it posts when a person presses the button */
export const noticeParts = (text: string, button: string, said: object): PageParts =>
  toParts({
    style: `body { padding: 1rem }
button { padding: 4px 12px; border: 1px solid var(--vscode-button-border, transparent); border-radius: 2px; color: var(--vscode-button-foreground); background: var(--vscode-button-background); font: inherit }
button:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px }`,
    script: `const api = acquireVsCodeApi();
const add = (name, it) => document.body.append(Object.assign(document.createElement(name), it));
add('p', { role: 'alert', textContent: ${JSON.stringify(text)} });
add('button', { textContent: ${JSON.stringify(button)}, onclick: () => api.postMessage(${JSON.stringify(said)}) });`,
  });

/** A whole page in one piece. */
export function toDocument(page: PageDocument): string {
  const { nonce, source, parts } = page;
  const once = `'nonce-${nonce}'`;
  const [style, script] =
    'style' in parts ? [once, once] : [`'sha256-${parts.digests.style}'`, `${once} 'sha256-${parts.digests.script}'`];
  // A script that runs by its digest needs the nonce beside it for the loader and for the files that the loader imports.
  // A nonce or a digest beside 'unsafe-inline' switches the latter off.
  const csp = [
    "default-src 'none'",
    `script-src ${script}`,
    `style-src ${source} ${page.isStyled ? "'unsafe-inline'" : style}`,
    `font-src ${source} data:`,
    `img-src ${source} data:`,
    "connect-src 'none'",
    `base-uri ${source}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escapeHtml(page.language)}">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${csp}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <base href="${escapeHtml(page.base)}" />
    <title>${escapeHtml(page.title)}</title>
    ${'style' in parts ? `<style nonce="${nonce}">${parts.style}</style>` : ''}
  </head>
  <body class="${page.bodyClass}">
    ${dataBlock(page.first)}${'style' in parts ? `<script type="module" nonce="${nonce}">${parts.script}` : `<script nonce="${nonce}">${loader(parts.areComing)}`}</script>
  </body>
</html>`;
}

/** In milliseconds. A message that is on its way has come by then, except over a slow connection. */
const patience = 300;
/** In milliseconds. Long enough that a slow connection does not carry the same message several times. */
const askAgain = 10_000;

/**
 * Runs the parts that the browser keeps, or those of a message. The policy of the page lets only those of this build run, because other
 * pages may write into what the browser keeps. They run by their digests and not by the nonce, because the browser compiles a script
 * anew if another page ran it by another nonce. A script that throws was not refused, and does not run again. It imports only files
 * of the page, whose addresses begin with './'. Another import fails, because no file has the address ''. The editor sends messages as soon
 * as the page has loaded. The script gets them after it has drawn the model that the page contains. A browser may refuse to read what
 * it keeps. A page that refuses what it got tells the extension.
 */
const loader = (areComing: boolean) => `(() => {
const api = acquireVsCodeApi();
let runs = false;
const ran = () => { runs = true; };
globalThis.acquireVsCodeApi = () => { delete globalThis.acquireVsCodeApi; ran(); return api; };
Object.defineProperty(globalThis, '${importer}', { value: async (it) => import(it.startsWith('./') ? it : '') });
const early = [];
let take;
const sent = new Promise((resolve) => { take = resolve; });
const hear = (it) => {
it.stopImmediatePropagation();
if (it.data.type === 'parts') take(it.data.parts);
else early.push(it.data);
};
addEventListener('message', hear);
const run = (text, isKept) => {
const add = (name, textContent) => {
const it = Object.assign(document.createElement(name), { textContent, id: isKept ? '' : name });
document.body.append(it);
return it;
};
const [style, script] = text.split(${JSON.stringify(betweenParts)});
const look = add('style', style);
addEventListener('error', ran);
const code = look.sheet && add('script', script);
removeEventListener('error', ran);
if (!runs) return [look, code].forEach((it) => it?.remove());
setTimeout(() => {
removeEventListener('message', hear);
for (const data of early) dispatchEvent(new MessageEvent('message', { data }));
});
};
const receive = async () => {
const ask = () => api.postMessage({ type: 'kept', isKept: false });
const first = setTimeout(ask, ${areComing ? patience : 0});
const again = setInterval(ask, ${askAgain});
const packed = await sent;
clearTimeout(first);
clearInterval(again);
const { readable, writable } = new DecompressionStream('deflate-raw');
const writer = writable.getWriter();
const [text] = await Promise.all([new Response(readable).text(), writer.write(packed), writer.close()]);
run(text);
if (!runs) throw new Error('The parts of the page are of another build.');
};
let kept;
try { kept = localStorage.getItem('${keptParts}'); } catch {}
if (kept) run(kept, true);
if (!runs) receive().catch((error) => {
api.postMessage({ type: 'wrongParts' });
throw error;
});
})();`;

/** The browser never runs a block of this type. */
function dataBlock(first: string | undefined): string {
  if (first === undefined) return '';
  return `<script type="application/json" id="first">${first.replaceAll('<', '\\u003c')}</script>\n    `;
}

/** Text that would end the script element occurs only in strings and patterns of a bundle, where an escape means the same. */
function inScript(script: string): string {
  return script.replace(/<(?=!--|\/?script)/gi, '\\x3c');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`);
}
