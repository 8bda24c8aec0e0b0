export interface PageDocument {
  readonly script: string;
  readonly style: string;
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

/** A whole page in one piece. */
export function toDocument(page: PageDocument): string {
  const { nonce, source } = page;
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
  return `<!DOCTYPE html>
<html lang="${escapeHtml(page.language)}">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${csp}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <base href="${escapeHtml(page.base)}" />
    <title>${escapeHtml(page.title)}</title>
    <style nonce="${nonce}">${page.style.replace(/<(?=\/style)/gi, '\\3c ')}</style>
  </head>
  <body class="${page.bodyClass}">
    ${dataBlock(page.first)}<script type="module" nonce="${nonce}">${inScript(page.script)}</script>
  </body>
</html>`;
}

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
