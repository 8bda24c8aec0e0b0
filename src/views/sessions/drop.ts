import type { DataTransfer } from 'vscode';
import type { SessionsNode } from './nodes.ts';

/** What was dropped on the row of a session, for its next message. */
export type Dropped =
  | { readonly kind: 'uris'; readonly uris: readonly string[] }
  | { readonly kind: 'bytes'; readonly name: string; readonly contentType: string; readonly data: string };

/** @param row what it was dropped on: anything but a session takes nothing */
export async function dropOn(
  row: unknown,
  data: DataTransfer,
  add: (session: string, dropped: Dropped) => void,
): Promise<void> {
  if (!isSession(row)) return;
  const uris = (await data.get('text/uri-list')?.asString())?.split(/\r?\n/).filter((it) => it && !it.startsWith('#'));
  if (uris && uris.length > 0) return add(row.id, { kind: 'uris', uris });
  for (const [contentType, item] of data) {
    const file = item.asFile();
    if (!file) continue;
    if (file.uri) add(row.id, { kind: 'uris', uris: [file.uri.toString()] });
    else {
      const bytes = Buffer.from(await file.data());
      add(row.id, { kind: 'bytes', name: file.name, contentType, data: bytes.toString('base64') });
    }
  }
}

function isSession(row: unknown): row is Extract<SessionsNode, { kind: 'session' }> {
  return typeof row === 'object' && row !== null && 'kind' in row && row.kind === 'session';
}
