import * as vscode from 'vscode';
import type { MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import type { AttachKind } from '../../contract/chat.ts';
import type { Addition, Attaching, AttachingDeps } from './attachModule.ts';
import { fileAttachment, fromPage, noFilesOf, pickFiles } from './files.ts';
import { bytesAttachment, NotAttached, textAttachment } from './kept.ts';
import { pickSession } from './otherSessions.ts';
import { pickProblems } from './problems.ts';
import { selectionAttachment } from './selection.ts';
import { changesOf, pickChanges } from './sourceControl.ts';
import { pickSymbol } from './symbols.ts';
import { activeTerminal, pickTerminal, terminalSelection } from './terminalOutput.ts';

export function openAttaching(deps: AttachingDeps): Attaching {
  const { chat } = deps;
  const find = (id: string) => chat.composed.attachments.find((it) => it.id === id)?.attachment;
  return {
    async add(addition) {
      chat.removeBanner('notAttached');
      const refused: string[] = [];
      const orRefused = async (work: () => Promise<void>) => {
        try {
          await work();
        } catch (error) {
          if (!(error instanceof NotAttached)) throw error;
          refused.push(error.message);
        }
      };
      await orRefused(async () => {
        for (const make of workOf(deps, await withFiles(deps, addition))) {
          await orRefused(async () => {
            const attachment = await make();
            if (attachment) chat.composed.attach([{ id: idOf(deps, attachment), attachment }]);
          });
        }
      });
      const detail = refused.join(' ');
      if (detail !== '') chat.addBanner({ id: 'notAttached', kind: 'notAttached', detail, canDismiss: true });
    },
    async asText(id) {
      const attachment = find(id);
      const text = attachment && (await textOf(deps, attachment));
      if (text === undefined) return;
      chat.composed.detach(id);
      deps.post({ type: 'insert', text });
    },
    async preview(id) {
      const attachment = find(id);
      if (attachment?.type !== 'resource' || attachment.displayKind !== 'image') return;
      const { contentType } = attachment;
      if (contentType === undefined) return;
      const { data } = await chat.deps.port.request('resourceRead', { uri: attachment.uri, encoding: 'base64' });
      deps.post({ type: 'preview', attachmentId: id, contentType, data });
    },
    thumbnail(id, thumbnail) {
      const attachment = find(id);
      if (attachment)
        chat.composed.attach([{ id, attachment: { ...attachment, _meta: { ...attachment._meta, thumbnail } } }]);
    },
  };
}

type Picked =
  | Exclude<Addition, { readonly kind: AttachKind }>
  | { readonly kind: Exclude<AttachKind, 'file' | 'folder' | 'image'> };
type Work = () => Promise<MessageAttachment | undefined>;

/** Asks for files where files are wanted. */
async function withFiles(deps: AttachingDeps, addition: Addition): Promise<Picked> {
  const { kind } = addition;
  if (kind !== 'file' && kind !== 'folder' && kind !== 'image') return addition as Picked;
  if (deps.hostName !== undefined) throw noFilesOf(deps.hostName);
  return { kind: 'uris', uris: (await pickFiles(kind, deps.chat.folders[0])).map((it) => it.toString()) };
}

/** One piece for each thing, so that one that cannot be attached does not keep the others out. */
function workOf(deps: AttachingDeps, addition: Picked): readonly Work[] {
  switch (addition.kind) {
    case 'uris':
      return addition.uris.map((it) => () => fileAttachment(deps, fromPage(it)));
    case 'changesOf':
      return addition.uris.map((it) => () => changesOf(deps, vscode.Uri.parse(it, true)));
    case 'bytes':
      return [() => bytesAttachment(deps, addition.name, Buffer.from(addition.data, 'base64'), addition.contentType)];
    case 'text':
      return [() => textAttachment(deps, vscode.l10n.t('Pasted text'), addition.text, 'paste')];
    case 'parts':
      return addition.parts.map((it) => () => textAttachment(deps, it.label, it.text, it.displayKind));
    case 'selection':
      return [() => selectionAttachment(deps)];
    case 'symbol':
      return [() => pickSymbol(deps)];
    case 'problems':
      return [() => pickProblems(deps)];
    case 'terminal':
      return [() => pickTerminal(deps)];
    case 'activeTerminal':
      return [() => activeTerminal(deps)];
    case 'terminalSelection':
      return [() => terminalSelection(deps)];
    case 'changes':
      return [() => pickChanges(deps)];
    case 'session':
      return [() => pickSession(deps)];
  }
}

/** The same file attached again takes its own place; a text of a moment stands for itself. */
function idOf({ chat }: AttachingDeps, attachment: MessageAttachment): string {
  const isFile = attachment.type === 'resource' && !attachment.selection && attachment.uri.startsWith('file:');
  return isFile ? `file/${attachment.uri}`.slice(0, 500) : chat.deps.newId();
}

/** `undefined` for what is no text of its own. */
async function textOf({ chat }: AttachingDeps, attachment: MessageAttachment): Promise<string | undefined> {
  if (attachment.type === 'simple') return attachment.modelRepresentation;
  if (attachment.type !== 'resource' || attachment.contentType !== 'text/plain') return undefined;
  return (await chat.deps.port.request('resourceRead', { uri: attachment.uri, encoding: 'utf-8' })).data;
}
