import { visibleText } from '../../sidecar/protocol/visibleText.ts';
import type { Approvals, PermissionRule } from '../../sidecar/protocol/window.ts';
import type { Localizer } from '../platform/localizer.ts';
import type { SettingRule } from './ruleForm.ts';

/** One reason why something runs unasked, is asked or is denied. */
export interface ApprovalRow {
  /** Where it stands, for a heading. */
  readonly source: string;
  readonly icon: string;
  readonly label: string;
  /** What it does, and where. */
  readonly description: string;
  /** Why it does less than it says, or what it means. */
  readonly detail?: string;
  /** A rule or a mode, and not what holds anyway. */
  readonly isRule: boolean;
  /** A rule of the user settings of this machine, which can be changed from here. */
  readonly setting?: SettingRule;
  /** What a click opens; a granted rule is removed by its button. */
  readonly opens?:
    | { readonly kind: 'settings'; readonly command: string }
    | { readonly kind: 'session'; readonly session: string }
    | { readonly kind: 'rule'; readonly host: string; readonly id: string };
}

const icons = { allow: 'check', ask: 'question', deny: 'circle-slash' } as const;

/**
 * All sources of one host, in the order in which a person set them.
 * @param host with a name where there are several
 * @param approvals absent: it could not be asked
 */
export function approvalRows(
  l10n: Localizer,
  host: { readonly id: string; readonly name: string },
  approvals: Approvals | undefined,
): ApprovalRow[] {
  const at = (source: string) => (host.name ? `${source} · ${host.name}` : source);
  if (!approvals) {
    const label = l10n.t('This host is not responding, so its rules are unknown.');
    return [{ source: host.name, icon: 'warning', label, description: '', isRule: true }];
  }
  const { items, defaults, modes } = approvals;
  const of = (source: PermissionRule['source']) => items.filter((it) => it.source === source);
  const rule = (it: Approvals['items'][number], source: string, opens: ApprovalRow['opens']): ApprovalRow => ({
    source: at(source),
    icon: icons[it.effect],
    label: visibleText(it.input === undefined ? it.pattern : `${it.pattern} ${it.input}`),
    description: doesWhat(l10n, it),
    isRule: true,
    ...(it.source === 'workspace' &&
      it.effect === 'allow' && {
        detail: l10n.t('This rule has no effect. Rules in workspace settings can only ask or deny.'),
      }),
    ...(it.source === 'user' && host.id === '' && { setting: settingOf(it) }),
    ...(opens && { opens }),
  });
  // The settings of another machine are not open here.
  const settings = (command: string) => (host.id === '' ? ({ kind: 'settings', command } as const) : undefined);
  return [
    ...of('granted').map((it) =>
      rule(it, it.effect === 'deny' ? l10n.t('Denied by you') : l10n.t('Allowed by you'), {
        kind: 'rule',
        host: host.id,
        id: it.id,
      }),
    ),
    ...of('user').map((it) => rule(it, l10n.t('User settings'), settings('workbench.action.openSettingsJson'))),
    ...of('workspace').map((it) =>
      rule(it, l10n.t('Workspace settings'), settings('workbench.action.openWorkspaceSettingsFile')),
    ),
    ...modes.map(({ session, title, mode }) => ({
      source: at(l10n.t('Session modes')),
      icon: 'unlock',
      label: visibleText(mode),
      description: visibleText(title || l10n.t('New session')),
      detail: l10n.t("This session's agent decides for itself what to run."),
      isRule: true,
      opens: { kind: 'session', session } as const,
    })),
    ...defaults.map(({ effect, what }) => ({
      source: at(l10n.t('Default')),
      icon: icons[effect],
      label: defaultWords(l10n, what),
      description: {
        allow: l10n.t('runs without asking'),
        ask: l10n.t('always asks, even if a rule allows it'),
        deny: l10n.t('denied'),
      }[effect],
      ...(what === 'danger' && {
        detail: l10n.t(
          'Requests that delete data, access files outside the workspace, or write files that VS Code or Git can run, and requests whose effect is unclear.',
        ),
      }),
      isRule: false,
    })),
  ];
}

function settingOf({ effect, target, pattern }: SettingRule): SettingRule {
  return { effect, target, pattern };
}

function doesWhat(l10n: Localizer, rule: Approvals['items'][number]): string {
  const { effect, target, session, sessionTitle, folder } = rule;
  const words = {
    allow: l10n.t('{0}: runs without asking', target),
    ask: l10n.t('{0}: always asks', target),
    deny: l10n.t('{0}: denied', target),
  }[effect];
  if (folder !== undefined) return l10n.t('{0}, only in the folder {1}', words, visibleText(folder));
  if (session === undefined) return words;
  // A host of an older build does not name it.
  if (sessionTitle === undefined) return l10n.t('{0}, one session only', words);
  return l10n.t('{0}, only in "{1}"', words, visibleText(sessionTitle || l10n.t('New session')));
}

function defaultWords(l10n: Localizer, what: Approvals['defaults'][number]['what']): string {
  switch (what) {
    case 'read':
      return l10n.t('Reading workspace files');
    case 'search':
      return l10n.t('Searching the workspace');
    case 'think':
      return l10n.t('Thinking');
    case 'danger':
      return l10n.t('Dangerous requests');
    case 'untrusted':
      return l10n.t('All requests (this workspace is not trusted)');
  }
}
