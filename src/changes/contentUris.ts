export const CONTENT_SCHEME = 'switchboard-content';

/**
 * The editor's URI for stored bytes, as parts of a `vscode.Uri`. The path is that of the real file, so that language,
 * icon and label fit; which bytes they are stands in the query.
 */
export function contentUriParts(hostContent: string, fileUriPath: string) {
  return { scheme: CONTENT_SCHEME, path: fileUriPath, query: hostContent };
}

/** @returns the host's URI, or `undefined` for a query that names no stored bytes */
export function hostContentOf(query: string): string | undefined {
  return /^host-content:\/[0-9a-f]{64}\/[^/]*$/.test(query) ? query : undefined;
}
