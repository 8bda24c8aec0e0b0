export const CONTENT_SCHEME = 'switchboard-content';

/**
 * The editor's URI for bytes that a host has, as parts of a `vscode.Uri`. The path is that of the real file, so that language,
 * icon and label fit; which bytes they are stands in the query, and whose they are in the authority.
 * @param resource stored bytes, or a file of a host elsewhere
 * @param host empty for the host of this machine, otherwise its address
 */
export function contentUriParts(resource: string, fileUriPath: string, host = '') {
  return { scheme: CONTENT_SCHEME, authority: authorityOf(host), path: fileUriPath, query: resource };
}

/** The address of a host as an authority, which has no slashes. */
export function authorityOf(host: string): string {
  return host.replace('://', '.').replaceAll('/', '~');
}

/** Instead of stored bytes: the side of a diff where there is no file. */
export const NO_CONTENT = 'none';

/** @returns the host's URI, or `undefined` for a query that names no stored bytes */
export function hostContentOf(query: string): string | undefined {
  return /^host-content:\/[0-9a-f]{64}\/[^/]*$/.test(query) ? query : undefined;
}

/** A file of a host elsewhere; files of this machine are the editor's own. */
export function farFileOf(authority: string, query: string): string | undefined {
  return authority !== '' && query.startsWith('file:///') ? query : undefined;
}

/** A file that the editor shows: its URI where it lies, and the authority of the host elsewhere that has it, or nothing. */
export interface ShownFile {
  readonly authority: string;
  readonly uri: string;
}
/** The file that a document of the editor is, on this machine or elsewhere; kept contents are none. */
export function shownFileOf(
  { scheme, authority, query }: { readonly scheme: string; readonly authority: string; readonly query: string },
  text: string,
): ShownFile | undefined {
  if (scheme !== CONTENT_SCHEME) return { authority: '', uri: text };
  const uri = farFileOf(authority, query);
  return uri === undefined ? undefined : { authority, uri };
}
