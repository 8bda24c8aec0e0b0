import * as vscode from 'vscode';
import type { PermissionRule } from '../../sidecar/protocol/window.ts';
import { settingIds } from '../manifest/manifest.ts';

export type SettingRule = Pick<PermissionRule, 'effect' | 'target' | 'pattern'>;

/**
 * Asks for a rule of the user settings, one step after the other.
 * @param known the rule that is changed
 * @returns `undefined` if the person canceled
 */
export async function askRule(known?: SettingRule): Promise<SettingRule | undefined> {
  const title = known ? vscode.l10n.t('Edit Rule') : vscode.l10n.t('Add Rule');
  const effect = await choose(title, vscode.l10n.t('What should happen?'), known?.effect, {
    allow: [vscode.l10n.t('Run without asking'), vscode.l10n.t('Dangerous requests always require your approval.')],
    ask: [vscode.l10n.t('Always ask'), vscode.l10n.t('Overrides rules that allow requests.')],
    deny: [vscode.l10n.t('Deny'), vscode.l10n.t('Overrides all other rules.')],
  });
  if (!effect) return undefined;
  const target = await choose(title, vscode.l10n.t('Which requests does the rule apply to?'), known?.target, {
    shell: [vscode.l10n.t('Run a command'), 'npm test*'],
    edit: [vscode.l10n.t('Edit a file'), 'src/**'],
    read: [vscode.l10n.t('Read a file'), '**/*.pem'],
    fetch: [vscode.l10n.t('Access a URL'), 'https://example.com/*'],
    tool: [vscode.l10n.t('Use a tool'), 'mcp:server/*'],
  });
  if (!target) return undefined;
  const typed = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t(
      'A command, path, URL, or tool. * stands for any text, and ** stands for folders at any depth.',
    ),
    ignoreFocusOut: true,
    ...(known && { value: known.pattern }),
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter a pattern.') : undefined),
  });
  const pattern = typed?.trim();
  return pattern ? { effect, target, pattern } : undefined;
}

/**
 * Changes the user settings, which the host reads.
 * @param from the rule to remove; absent: a rule is added
 * @param to the rule that replaces it; absent: none
 */
export async function changeRule(from: SettingRule | undefined, to: SettingRule | undefined): Promise<void> {
  const all = vscode.workspace.getConfiguration();
  const value: unknown = all.inspect(settingIds.permissionRules)?.globalValue ?? [];
  if (!Array.isArray(value)) {
    const message = vscode.l10n.t('The rules in your user settings must be a list. Correct the settings first.');
    void vscode.window.showErrorMessage(message);
    return;
  }
  const rules: unknown[] = [...value];
  const at = from ? rules.findIndex((it) => isSame(it, from)) : rules.length;
  if (at !== -1) rules.splice(at, from ? 1 : 0, ...(to ? [to] : []));
  await all.update(settingIds.permissionRules, rules, vscode.ConfigurationTarget.Global);
}

async function choose<T extends string>(
  title: string,
  placeHolder: string,
  known: T | undefined,
  choices: Readonly<Record<T, readonly [string, string]>>,
): Promise<T | undefined> {
  const items = (Object.entries(choices) as [T, readonly [string, string]][]).map(([value, [label, detail]]) => ({
    value,
    label,
    detail,
    ...(value === known && { description: vscode.l10n.t('current') }),
  }));
  // What holds now comes first, so that Enter keeps it.
  const ordered = items.toSorted((a, b) => Number(b.value === known) - Number(a.value === known));
  return (await vscode.window.showQuickPick(ordered, { title, placeHolder, ignoreFocusOut: true }))?.value;
}

function isSame(value: unknown, { effect, target, pattern }: SettingRule): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const is = (key: string, wanted: string) => key in value && (value as Record<string, unknown>)[key] === wanted;
  return is('effect', effect) && is('target', target) && is('pattern', pattern);
}
