import * as vscode from 'vscode';
import type { PermissionRule } from '../../sidecar/protocol/window.ts';
import type { HostPort } from '../client/port.ts';
import { commandIds, settingIds } from '../manifest/manifest.ts';

interface RulePick extends vscode.QuickPickItem {
  readonly rule?: PermissionRule;
}

/** Every rule that counts now. Granted ones can be taken back here; those of the settings are changed there. */
export function registerApprovals(port: HostPort): vscode.Disposable {
  return vscode.commands.registerCommand(commandIds.manageApprovals, async () => {
    const { items } = await port.request('x-switchboard/rules', {});
    const remove: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon('trash'),
      tooltip: vscode.l10n.t('Remove This Rule'),
    };
    const pick = vscode.window.createQuickPick<RulePick>();
    pick.title = vscode.l10n.t('Approvals');
    pick.matchOnDescription = true;
    let rules = items;
    const fill = () => {
      pick.items = toPicks(rules, remove);
      pick.placeholder =
        rules.length === 0
          ? vscode.l10n.t('No rule yet: every request is asked.')
          : vscode.l10n.t('Rules that count now');
    };
    fill();
    const stop = vscode.Disposable.from(
      pick.onDidTriggerItemButton(async ({ item }) => {
        if (!item.rule) return;
        await port.request('x-switchboard/ruleRemove', { id: item.rule.id });
        rules = (await port.request('x-switchboard/rules', {})).items;
        fill();
      }),
      pick.onDidAccept(() => {
        const [chosen] = pick.selectedItems;
        if (chosen?.rule && chosen.rule.source !== 'granted') {
          void vscode.commands.executeCommand('workbench.action.openSettings', settingIds.permissionRules);
          pick.hide();
        }
      }),
      pick.onDidHide(() => {
        stop.dispose();
        pick.dispose();
      }),
    );
    pick.show();
  });
}

function toPicks(rules: readonly PermissionRule[], remove: vscode.QuickInputButton): RulePick[] {
  const sources: readonly PermissionRule['source'][] = ['granted', 'user', 'workspace'];
  return sources.flatMap((source) => {
    const some = rules.filter((it) => it.source === source);
    if (some.length === 0) return [];
    const separator = { label: sourceLabel(source), kind: vscode.QuickPickItemKind.Separator };
    return [separator, ...some.map((rule) => toPick(rule, remove))];
  });
}

function toPick(rule: PermissionRule, remove: vscode.QuickInputButton): RulePick {
  const icon = { allow: 'check', ask: 'question', deny: 'circle-slash' }[rule.effect];
  return {
    rule,
    label: `$(${icon}) ${rule.pattern}`,
    description: rule.session === undefined ? rule.target : vscode.l10n.t('{0}, one session only', rule.target),
    ...(rule.source === 'granted' ? { buttons: [remove] } : {}),
  };
}

function sourceLabel(source: PermissionRule['source']): string {
  switch (source) {
    case 'granted':
      return vscode.l10n.t('Allowed by you');
    case 'user':
      return vscode.l10n.t('User settings');
    case 'workspace':
      return vscode.l10n.t('Workspace settings');
  }
}
