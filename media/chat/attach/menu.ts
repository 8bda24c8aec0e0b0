import type { AttachKind } from '../../../src/webviews/contract/chat.ts';
import type { ComposerModel } from '../../../src/webviews/contract/chatModel.ts';
import { t } from '../../shared/l10n.ts';
import { openMenu } from '../../shared/menu.ts';

/** A menu of everything that can be attached. */
export function openAttachMenu(anchor: HTMLElement, composer: ComposerModel, choose: (what: AttachKind) => void): void {
  const items: readonly { readonly id: AttachKind; readonly label: string; readonly icon: string }[] = [
    { id: 'file', label: t('Files…'), icon: 'file' },
    { id: 'folder', label: t('Folder…'), icon: 'folder' },
    { id: 'image', label: t('Images…'), icon: 'file-media' },
    { id: 'symbol', label: t('Symbol…'), icon: 'symbol-class' },
    ...(composer.hasSelection ? [{ id: 'selection' as const, label: t('Editor selection'), icon: 'selection' }] : []),
    { id: 'problems', label: t('Problems…'), icon: 'warning' },
    { id: 'terminal', label: t('Terminal output'), icon: 'terminal' },
    { id: 'changes', label: t('Source control changes'), icon: 'source-control' },
    { id: 'session', label: t('Session…'), icon: 'comment-discussion' },
  ];
  openMenu(anchor, t('Attach'), items, (id) => {
    const found = items.find((it) => it.id === id);
    if (found) choose(found.id);
  });
}
