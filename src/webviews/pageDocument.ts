import { createHash } from 'node:crypto';
import { betweenParts, keptParts } from './contract/keptParts.ts';

/** What a page looks like and what it runs, as text that ends neither element. */
export interface PageParts {
  readonly style: string;
  readonly script: string;
}

export interface PageDocument {
  readonly parts: PageParts;
  /** The digest of the parts, if the browser keeps them. The page then does not contain them. */
  readonly keptDigest?: string | undefined;
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

export const toParts = ({ style, script }: PageParts): PageParts => ({
  style: style.replace(/<(?=\/style)/gi, '\\3c '),
  script: inScript(script),
});

export const digestOf = ({ style, script }: PageParts): string =>
  createHash('sha256').update(`${style}${betweenParts}${script}`).digest('base64');

/** A whole page in one piece. */
export function toDocument(page: PageDocument): string {
  const { nonce, source, parts, keptDigest } = page;
  // A nonce beside 'unsafe-inline' switches the latter off.
  const csp = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source} ${page.isStyled ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    `font-src ${source} data:`,
    `img-src ${source} data:`,
    "connect-src 'none'",
    `base-uri ${source}`,
  ].join('; ');
  const isKept = keptDigest !== undefined;
  return `<!DOCTYPE html>
<html lang="${escapeHtml(page.language)}">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${csp}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <base href="${escapeHtml(page.base)}" />
    <title>${escapeHtml(page.title)}</title>
    ${isKept ? '' : `<style id="style" nonce="${nonce}">${parts.style}</style>`}
  </head>
  <body class="${page.bodyClass}">
    ${dataBlock(page.first)}${isKept ? `<script nonce="${nonce}">${loader(keptDigest)}` : `<script type="module" id="script" nonce="${nonce}">${parts.script}`}</script>
  </body>
</html>`;
}

/**
 * Runs the parts that the browser keeps if they are exactly those of this build, because other pages may write there. The editor
 * sends messages as soon as the page has loaded. The script gets them after it has drawn the model that the page contains.
 */
const loader = (digest: string) => `(async () => {
const { nonce } = document.currentScript;
const early = [];
const hear = (it) => { early.push(it.data); it.stopImmediatePropagation(); };
addEventListener('message', hear);
const kept = localStorage.getItem('${keptParts}') ?? '';
const found = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(kept));
if (btoa(String.fromCharCode(...new Uint8Array(found))) !== '${digest}') throw new Error();
kept.split(${JSON.stringify(betweenParts)}).forEach((textContent, at) => {
document.body.append(Object.assign(document.createElement(['style', 'script'][at]), { nonce, textContent }));
});
setTimeout(() => {
removeEventListener('message', hear);
for (const data of early) dispatchEvent(new MessageEvent('message', { data }));
});
})().catch(() => acquireVsCodeApi().postMessage({ type: 'kept', isKept: false }));`;

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
