import type { Customization } from '../../protocol/channels/session/customizations.ts';
import { childUri } from './files.ts';

/** Whether a file may be there and could not be read: its plugin or folder says so of all that it has, or of this file. */
export function isUnread(customizations: readonly Customization[] | undefined, uri: string): boolean {
  return (customizations ?? []).some((it) => {
    if (!('load' in it) || !uri.startsWith(`${it.uri}/`)) return false;
    if (it.load?.kind === 'error') return true;
    const problems = it.load?.kind === 'degraded' ? it.load.message.split('\n') : [];
    return problems.some((line) => childUri(it.uri, ...(line.split(': ')[0] ?? '').split('/')) === uri);
  });
}
