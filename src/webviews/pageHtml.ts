import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { KeptPages } from './keptPages.ts';
import { digestOf, type PageParts, toDocument, toParts } from './pageDocument.ts';

export interface PageOptions {
  /** Of its script and its style sheet, below `dist/media`. */
  readonly page: string;
  readonly title: string;
  readonly bodyClass: string;
  /** Its elements set styles of their own, as charts do. */
  readonly isStyled?: boolean;
  /** JSON that its script reads at startup. */
  readonly first?: string;
}

/** The parts of pages that were shown. They are part of the package and do not change while it runs. */
const parts = new Map<string, PageParts>();
const kept = new KeptPages();

/**
 * Nothing remote, no eval: the page shows what agents write. Its script and its style are in the page, where a file would
 * have to come through the editor's service worker first; each runs by a nonce that is made for this one page. The editor
 * copies the text of a page several times, so one whose parts the browser keeps does not contain them.
 */
export function pageHtml(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  { page, title, bodyClass, isStyled = false, first }: PageOptions,
): string {
  const known = parts.get(page) ?? readParts(extensionUri, page);
  parts.set(page, known);
  const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'media', page, '..');
  return toDocument({
    parts: known,
    keptDigest: kept.digestOf(page),
    nonce: crypto.randomUUID(),
    source: webview.cspSource,
    base: `${webview.asWebviewUri(folder).toString()}/`,
    language: vscode.env.language,
    title,
    bodyClass,
    isStyled,
    ...(first !== undefined && { first }),
  });
}

/** @param isKept whether the browser keeps the parts of the page, as one of its kind has said */
export function noteKept(page: string, isKept: boolean): void {
  const known = parts.get(page);
  if (known) kept.note(page, isKept ? digestOf(known) : undefined);
}

function readParts(extensionUri: vscode.Uri, page: string): PageParts {
  const read = (name: string) =>
    readFileSync(vscode.Uri.joinPath(extensionUri, 'dist', 'media', name).fsPath, 'utf8').replace(
      /\s*(?:\/\/# sourceMappingURL=\S+|\/\*# sourceMappingURL=\S+ \*\/)\s*$/,
      '',
    );
  return toParts({ script: read(`${page}.js`), style: read(`${page}.css`) });
}

/** What a page may do: run its own script, and load its own files and our icons. */
export function pageOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  const folders = [
    ['dist', 'media'],
    ['media', 'icons'],
  ];
  return {
    enableScripts: true,
    localResourceRoots: folders.map((it) => vscode.Uri.joinPath(extensionUri, ...it)),
  };
}

/** The editor's translations, for pages: the English text is the key. */
export function pageStrings(): Readonly<Record<string, string>> | undefined {
  const { bundle } = vscode.l10n;
  if (!bundle) return undefined;
  return Object.fromEntries(
    Object.entries(bundle).flatMap(([key, it]): [string, string][] => (typeof it === 'string' ? [[key, it]] : [])),
  );
}
