import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { type PageParts, type PartsElsewhere, toDocument, toParts } from './pageDocument.ts';

export interface PageOptions {
  /** Of its script and its style sheet, below `dist/media`. */
  readonly page: string;
  readonly title: string;
  readonly bodyClass: string;
  /** Its elements set styles of their own, as charts do. */
  readonly isStyled?: boolean;
  /** JSON that its script reads at startup. */
  readonly first?: string;
  /** In place of its script and its style sheet. */
  readonly parts?: PageParts | PartsElsewhere;
}

/** Files of the package, which do not change while it runs. */
const pages = new Map<string, PageParts>();

/**
 * Nothing remote, no eval: the page shows what agents write. Its script and its style are in the page or in a message, where a
 * file would have to come through the editor's service worker first; each runs by a nonce that is made for this one page, or,
 * in the page of the chat, by its digest.
 * The editor copies the text of a page several times, and creates the place of a page sooner if its text is short.
 */
export function pageHtml(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  { page, title, bodyClass, isStyled = false, first, parts }: PageOptions,
): string {
  const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'media', page, '..');
  return toDocument({
    parts: parts ?? partsOf(extensionUri, page),
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

function partsOf(extensionUri: vscode.Uri, page: string): PageParts {
  const read = (name: string) => readFileSync(vscode.Uri.joinPath(extensionUri, 'dist', 'media', name).fsPath, 'utf8');
  const parts = pages.get(page) ?? toParts({ script: read(`${page}.js`), style: read(`${page}.css`) });
  pages.set(page, parts);
  return parts;
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
