import * as vscode from 'vscode';

export interface PageOptions {
  /** Of its script and its style sheet, below `dist/media`. */
  readonly page: string;
  readonly title: string;
  readonly bodyClass: string;
  /** Its elements set styles of their own, as charts do. */
  readonly isStyled?: boolean;
}

/** Nothing remote, nothing inline, no eval: the page shows what agents write. */
export function pageHtml(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  { page, title, bodyClass, isStyled = false }: PageOptions,
): string {
  const nonce = crypto.randomUUID();
  const file = (name: string) =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', 'media', name)).toString();
  const csp = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}${isStyled ? " 'unsafe-inline'" : ''}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
    "connect-src 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escapeHtml(vscode.env.language)}">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${csp}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="stylesheet" href="${file(`${page}.css`)}" />
    <title>${escapeHtml(title)}</title>
  </head>
  <body class="${bodyClass}">
    <script type="module" nonce="${nonce}" src="${file(`${page}.js`)}"></script>
  </body>
</html>`;
}

/** What a page may load: its own files and our icons. */
export function pageRoots(extensionUri: vscode.Uri): vscode.Uri[] {
  return [vscode.Uri.joinPath(extensionUri, 'dist', 'media'), vscode.Uri.joinPath(extensionUri, 'media', 'icons')];
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`);
}

/** The editor's translations, for pages: the English text is the key. */
export function pageStrings(): Readonly<Record<string, string>> | undefined {
  const { bundle } = vscode.l10n;
  if (!bundle) return undefined;
  return Object.fromEntries(
    Object.entries(bundle).flatMap(([key, it]): [string, string][] => (typeof it === 'string' ? [[key, it]] : [])),
  );
}
