import * as vscode from 'vscode';
import { settingIds } from '../manifest/manifest.ts';
import { showApprovalHistory } from './approvalHistory.ts';
import { type ApprovalRow, approvalRows } from './approvalRows.ts';
import type { ApprovalsDeps } from './approvalsModule.ts';
import { askRule, changeRule, type SettingRule } from './ruleForm.ts';
import { testRequest } from './testRequest.ts';

interface ApprovalPick extends vscode.QuickPickItem {
  readonly row?: ApprovalRow;
}

/**
 * Everything because of which something runs unasked, from every host. Granted rules are taken back here, one or all; what
 * stands in settings, and modes of sessions, are opened where they stand.
 */
export async function manageApprovals(deps: ApprovalsDeps): Promise<void> {
  const { hosts, openChat } = deps;
  /** Shows what each host answers, as soon as it does: one that is away keeps nobody waiting. */
  const read = async (show: (rows: readonly ApprovalRow[]) => void): Promise<void> => {
    const all = hosts();
    const found: (readonly ApprovalRow[])[] = all.map(() => []);
    await Promise.all(
      all.map(async ({ id, name, client }, index) => {
        const approvals = await client.request('x-switchboard/rules', {}).catch(() => undefined);
        found[index] = approvalRows(vscode.l10n, { id, name: all.length > 1 ? name : '' }, approvals);
        show(found.flat());
      }),
    );
  };
  const { add, edit, remove, test, history, reset } = buttons();
  const pick = vscode.window.createQuickPick<ApprovalPick>();
  pick.title = vscode.l10n.t('Approvals');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.ignoreFocusOut = true;
  pick.buttons = [add, test, history, reset];
  let shown: readonly ApprovalRow[] = [];
  const fill = (rows: readonly ApprovalRow[]) => {
    shown = rows;
    pick.items = toPicks(rows, edit, remove);
    pick.placeholder = rows.some((it) => it.isRule)
      ? vscode.l10n.t('What is allowed without asking, what needs approval, and what is denied')
      : vscode.l10n.t('No rules yet. Every request needs your approval.');
  };
  const refresh = async (): Promise<void> => {
    pick.busy = true;
    await read(fill);
    pick.busy = false;
  };
  const forget = async (rows: readonly ApprovalRow[]): Promise<void> => {
    for (const { opens } of rows) {
      if (opens?.kind !== 'rule') continue;
      const { client } = hosts().find((it) => it.id === opens.host) ?? {};
      await client?.request('x-switchboard/ruleRemove', { id: opens.id });
    }
    await refresh();
  };
  /** Asks for a rule, and shows the list with it. */
  const change = async (known: SettingRule | undefined): Promise<void> => {
    const rule = await askRule(known);
    if (rule) await changeRule(known, rule);
    await manageApprovals(deps);
  };
  const stop = vscode.Disposable.from(
    pick.onDidTriggerButton(async (button) => {
      if (button === reset) {
        const granted = shown.filter((it) => it.opens?.kind === 'rule');
        if (await isResetWanted(granted.length)) await forget(granted);
        return;
      }
      pick.hide();
      if (button === add) return change(undefined);
      if (button === history) return showApprovalHistory(deps);
      const [local] = hosts();
      if (local) await testRequest((trial) => local.client.request('x-switchboard/ruleTest', trial));
    }),
    pick.onDidTriggerItemButton(async ({ item: { row }, button }) => {
      const setting = row?.setting;
      if (setting && button === edit) {
        pick.hide();
        await change(setting);
      } else if (setting) {
        await changeRule(setting, undefined);
        await refresh();
      } else await forget(row ? [row] : []);
    }),
    pick.onDidAccept(() => {
      const opens = pick.selectedItems[0]?.row?.opens;
      if (!opens || opens.kind === 'rule') return;
      pick.hide();
      if (opens.kind === 'session') openChat(opens.session);
      else void vscode.commands.executeCommand(opens.command, { revealSetting: { key: settingIds.permissionRules } });
    }),
    pick.onDidHide(() => {
      stop.dispose();
      pick.dispose();
    }),
  );
  pick.show();
  await refresh();
}

function buttons() {
  const button = (icon: string, tooltip: string): vscode.QuickInputButton => ({
    iconPath: new vscode.ThemeIcon(icon),
    tooltip,
  });
  return {
    add: button('add', vscode.l10n.t('Add Rule…')),
    edit: button('edit', vscode.l10n.t('Edit Rule…')),
    remove: button('trash', vscode.l10n.t('Remove This Rule')),
    test: button('beaker', vscode.l10n.t('Test a Request…')),
    history: button('history', vscode.l10n.t('Approval History')),
    reset: button('clear-all', vscode.l10n.t('Reset All…')),
  };
}

async function isResetWanted(count: number): Promise<boolean> {
  const remove = vscode.l10n.t('Remove All Rules');
  if (count === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('You have not saved any rules.'));
    return false;
  }
  const picked = await vscode.window.showWarningMessage(
    count === 1
      ? vscode.l10n.t('Remove the rule that you saved?')
      : vscode.l10n.t('Remove all {0} rules that you saved?', count),
    {
      modal: true,
      detail: vscode.l10n.t(
        'This includes rules for sessions and workspaces. Session modes and rules in settings do not change.',
      ),
    },
    remove,
  );
  return picked === remove;
}

/** Rows follow each other by their source. */
function toPicks(
  rows: readonly ApprovalRow[],
  edit: vscode.QuickInputButton,
  remove: vscode.QuickInputButton,
): ApprovalPick[] {
  return rows.flatMap((row, index) => {
    const { source, icon, label, description, detail, opens, setting } = row;
    const pick: ApprovalPick = {
      row,
      label: `$(${icon}) ${label}`,
      description,
      ...(detail !== undefined && { detail }),
      ...(setting ? { buttons: [edit, remove] } : opens?.kind === 'rule' && { buttons: [remove] }),
    };
    if (rows[index - 1]?.source === source) return [pick];
    return [{ label: source, kind: vscode.QuickPickItemKind.Separator }, pick];
  });
}
