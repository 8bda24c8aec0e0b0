/**
 * A file or folder for people: relative to the folder that holds it, otherwise its whole path.
 * @param uriOrPath a `file:` URI, any other URI (shown as it is) or an absolute path
 * @param folders URIs of the session's folders; with several of them the folder's name comes first
 * @returns the empty text for the only folder itself
 */
export function pathLabel(uriOrPath: string, folders: readonly string[]): string {
  const path = pathOf(uriOrPath);
  for (const folder of folders) {
    const root = pathOf(folder).replace(/\/+$/, '');
    if (path !== root && !path.startsWith(`${root}/`)) continue;
    const inside = path.slice(root.length + 1);
    if (folders.length === 1) return inside;
    return [root.slice(root.lastIndexOf('/') + 1), inside].filter(Boolean).join('/');
  }
  return path;
}

/** The last part of a folder's URI or absolute path. */
export function folderName(uriOrPath: string): string {
  const path = pathOf(uriOrPath).replace(/\/+$/, '');
  return path.slice(path.lastIndexOf('/') + 1);
}

function pathOf(uriOrPath: string): string {
  if (!uriOrPath.startsWith('file:')) return uriOrPath.replaceAll('\\', '/');
  const path = uriOrPath.replace(/^file:\/\/[^/]*/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a lone `%` in a name that was never encoded
  }
}
