import { attachmentBytes } from '../../../src/webviews/contract/attachmentLimits.ts';
import type { ChatFromPage } from '../../../src/webviews/contract/chat.ts';
import { t } from '../../shared/l10n.ts';

/** A paste of more lines than this is attached: it would hide the message. */
export const longPaste = 40;

type Post = (message: ChatFromPage) => void;

/** @returns whether something was attached, so that nothing is to be pasted into the field */
export function takePaste(data: DataTransfer, post: Post): boolean {
  const files = [...data.files];
  if (files.length > 0) {
    void takeFiles(files, post);
    return true;
  }
  const text = data.getData('text/plain');
  if (text.split('\n').length <= longPaste || text.length > 1_000_000) return false;
  post({ type: 'attachText', text });
  return true;
}

/** Types in which views of the editor hand over what is dragged, the best first. */
const uriTypes = ['application/vnd.code.uri-list', 'text/uri-list'];

/** Whether what is dragged could be attached. Contents are not to be read before the drop. */
export function canTake(data: DataTransfer): boolean {
  return data.types.some((it) => it === 'Files' || uriTypes.includes(it));
}

export function takeDrop(data: DataTransfer, post: Post): void {
  const uris = uriTypes
    .map((it) => data.getData(it))
    .find((it) => it !== '')
    ?.split(/\r?\n/)
    .filter((it) => it !== '' && !it.startsWith('#'));
  if (uris && uris.length > 0) return post({ type: 'attachUris', uris: uris.slice(0, 100) });
  const entries = [...data.items].map((it) => it.webkitGetAsEntry());
  const folder = entries.find((it) => it?.isDirectory);
  if (folder)
    return post({
      type: 'refused',
      why: t('{0} was not attached: folders from outside VS Code cannot be read. Use + to attach it.', folder.name),
    });
  void takeFiles([...data.files], post);
}

async function takeFiles(files: readonly File[], post: Post): Promise<void> {
  const refused: string[] = [];
  for (const [at, file] of files.entries()) {
    const name = file.name || t('Pasted image {0}', at + 1);
    if (file.size > attachmentBytes) {
      refused.push(t('{0} was not attached: files from outside VS Code can be at most 10 MB.', name));
      continue;
    }
    const data = toBase64(new Uint8Array(await file.arrayBuffer()));
    post({ type: 'attachBytes', name: name.slice(-255), contentType: file.type, data });
  }
  // Posted last, because each attachment that succeeds clears earlier messages.
  if (refused.length > 0) post({ type: 'refused', why: refused.join(' ').slice(0, 1000) });
}

const chunk = 32_768;

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += chunk) binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(binary);
}
