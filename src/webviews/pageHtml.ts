import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { digestOf, type PageParts, packed, toDocument, toParts } from './pageDocument.ts';

export interface PageOptions {
  /** Of its script and its style sheet, below `dist/media`. */
  readonly page: string;
  readonly title: string;
  readonly bodyClass: string;
  /** Its elements set styles of their own, as charts do. */
  readonly isStyled?: boolean;
  /** JSON that its script reads at startup. */
  readonly first?: string;
  /** The page does not contain its script and its style: the browser keeps them, or {@link packedParts} are sent to it. */
  readonly isBare?: boolean;
}

/** What is known of a page. Its parts are files of the package, which do not change while it runs. */
interface Known {
  readonly parts: PageParts;
  digest?: string;
  packed?: Promise<Uint8Array>;
  areKept: boolean;
}
const pages = new Map<string, Known>();

/**
 * Nothing remote, no eval: the page shows what agents write. Its script and its style are in the page or in a message, where a
 * file would have to come through the editor's service worker first; each runs by a nonce that is made for this one page.
 * The editor copies the text of a page several times, and creates the place of a page sooner if its text is short.
 */
export function pageHtml(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  { page, title, bodyClass, isStyled = false, first, isBare = false }: PageOptions,
): string {
  const known = knownPage(extensionUri, page);
  const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'media', page, '..');
  return toDocument({
    parts: isBare ? { digest: (known.digest ??= digestOf(known.parts)), areComing: !known.areKept } : known.parts,
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

/** The style and the script of a page, for a message to it. */
export function packedParts(extensionUri: vscode.Uri, page: string): Promise<Uint8Array> {
  const known = knownPage(extensionUri, page);
  known.packed ??= packed(known.parts);
  return known.packed;
}

export const arePartsKept = (page: string): boolean => pages.get(page)?.areKept === true;

/** @param areKept whether the browser keeps the parts of the page, as one of its kind has said */
export function noteKept(page: string, areKept: boolean): void {
  const known = pages.get(page);
  if (known) known.areKept = areKept;
}

function knownPage(extensionUri: vscode.Uri, page: string): Known {
  const known = pages.get(page) ?? { parts: readParts(extensionUri, page), areKept: false };
  pages.set(page, known);
  return known;
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
