import { html, type TemplateResult } from 'lit';
import type { SentAttachment } from '../../../src/webviews/contract/chatModel.ts';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';

const icons: Readonly<Record<string, string>> = {
  selection: 'selection',
  transcript: 'comment-discussion',
  directory: 'folder',
  image: 'file-media',
  symbol: 'symbol-class',
  problems: 'warning',
  terminal: 'terminal',
  changes: 'source-control',
  paste: 'clippy',
};

/** A thumbnail of the image, or the icon for the attachment's kind. */
export function pictureOf({ kind, thumbnail }: SentAttachment): TemplateResult {
  return thumbnail === undefined
    ? icon(icons[kind] ?? 'file')
    : html`<img class="chip-image" src=${thumbnail} alt="" />`;
}

export function kindOf(kind: string): string {
  switch (kind) {
    case 'image':
      return t('image');
    case 'directory':
      return t('folder');
    case 'symbol':
      return t('symbol');
    case 'selection':
      return t('selection');
    case 'problems':
      return t('problems');
    case 'terminal':
      return t('terminal output');
    case 'changes':
      return t('changes');
    case 'transcript':
      return t('conversation');
    case 'paste':
      return t('pasted text');
    default:
      return t('file');
  }
}
