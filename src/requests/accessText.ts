import type { AccessQuestion } from '../../sidecar/protocol/resources.ts';
import { commandIds } from '../manifest/manifest.ts';
import type { Localizer } from '../platform/localizer.ts';
import { commandLink, escapeTitle, MAX_TITLE_TEXT } from './escape.ts';

/** The title of the notification. Nobody is offered to allow a path that is too long to be read here. */
export function accessTitle(
  l10n: Localizer,
  { id: key, asker, uri, write, read }: AccessQuestion,
  idOf: (key: string) => string,
): string {
  const path = decodeURIComponent(uri).replace(/^file:\/\//, '');
  const names = [escapeTitle(asker, 60), escapeTitle(path)] as const;
  const sentence = write
    ? read
      ? l10n.t('{0} wants to read and change: {1}', ...names)
      : l10n.t('{0} wants to change: {1}', ...names)
    : l10n.t('{0} wants to read: {1}', ...names);
  const claim = { key, id: idOf(key) };
  const links = [commandLink(l10n.t('Deny'), commandIds.denyAccess, claim)];
  if (path.length <= MAX_TITLE_TEXT) links.unshift(commandLink(l10n.t('Allow'), commandIds.allowAccess, claim));
  return `${sentence} — ${links.join(' · ')}`;
}
