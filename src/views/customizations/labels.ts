import type { ChildCustomization, McpServerState } from '../../../sidecar/protocol/channels/session/customizations.ts';
import { fromHost, type Localizer } from '../../platform/localizer.ts';

/** What there is of customizations. Kinds of later versions have no words of their own. */
export type CustomizationKind = 'agent' | 'skill' | 'prompt' | 'rule' | 'hook' | 'mcpServer';

export const icons: Readonly<Record<CustomizationKind, string>> = {
  agent: 'robot',
  skill: 'lightbulb',
  prompt: 'comment',
  rule: 'law',
  hook: 'zap',
  mcpServer: 'server-process',
};

export function kindOf(type: string): CustomizationKind | undefined {
  return Object.hasOwn(icons, type) ? (type as CustomizationKind) : undefined;
}

/** As the heading of a list. */
export function manyOf(l10n: Localizer, kind: CustomizationKind): string {
  switch (kind) {
    case 'agent':
      return l10n.t('Agents');
    case 'skill':
      return l10n.t('Skills');
    case 'prompt':
      return l10n.t('Prompts');
    case 'rule':
      return l10n.t('Rules');
    case 'hook':
      return l10n.t('Hooks');
    case 'mcpServer':
      return l10n.t('MCP servers');
  }
}

/** The row that makes one. Servers are entries of a file, and hooks programs: nobody makes those by a name alone. */
export function newOf(l10n: Localizer, kind: CustomizationKind): string | undefined {
  switch (kind) {
    case 'agent':
      return l10n.t('New Agent…');
    case 'skill':
      return l10n.t('New Skill…');
    case 'prompt':
      return l10n.t('New Prompt…');
    case 'rule':
      return l10n.t('New Rule…');
    default:
      return undefined;
  }
}

export function serverState(l10n: Localizer, state: McpServerState): { text: string; icon: string; color?: string } {
  switch (state.kind) {
    case 'starting':
      return { text: l10n.t('starting'), icon: 'loading~spin' };
    case 'ready':
      return { text: l10n.t('ready'), icon: 'pass-filled', color: 'testing.iconPassed' };
    case 'authRequired':
      return { text: l10n.t('sign-in required'), icon: 'account', color: 'list.warningForeground' };
    case 'error':
      return { text: fromHost(l10n, errorText(state)), icon: 'error', color: 'list.errorForeground' };
    default:
      return { text: l10n.t('stopped'), icon: icons.mcpServer };
  }
}
const errorText = (state: Extract<McpServerState, { kind: 'error' }>) => state.error.message;

/** What a child says of itself besides its name. */
export function descriptionOf(l10n: Localizer, child: ChildCustomization): string {
  switch (child.type) {
    case 'mcpServer':
      return serverState(l10n, child.state).text;
    case 'rule':
      return child.description ?? (child.alwaysApply ? l10n.t('always') : (child.globs ?? []).join(', '));
    case 'agent':
    case 'skill':
    case 'prompt':
      return child.description ?? '';
    case 'hook':
      return typeof child._meta?.['refused'] === 'string' ? l10n.t('not running') : '';
    default:
      return '';
  }
}
