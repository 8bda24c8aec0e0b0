import * as vscode from 'vscode';
import type { Host } from '../client/hosts.ts';
import { commandIds, settingIds } from '../manifest/manifest.ts';
import { type ApprovalRow, approvalRows } from './approvalRows.ts';

export interface ApprovalsDeps {
  /** The one of this machine first. */
  readonly hosts: () => readonly Pick<Host, 'id' | 'name' | 'client'>[];
  readonly openChat: (session: string) => void;
}

interface ApprovalPick extends vscode.QuickPickItem {
  readonly row?: ApprovalRow;
}

/**
 * Everything because of which something runs unasked, from every host. Granted rules are taken back here; what stands in
 * settings, and modes of sessions, are opened where they stand.
 */
export function registerApprovals({ hosts, openChat }: ApprovalsDeps): vscode.Disposable {
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
  return vscode.commands.registerCommand(commandIds.manageApprovals, async () => {
    const remove: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon('trash'),
      tooltip: vscode.l10n.t('Remove This Rule'),
    };
    const pick = vscode.window.createQuickPick<ApprovalPick>();
    pick.title = vscode.l10n.t('Approvals');
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    pick.ignoreFocusOut = true;
    const fill = (rows: readonly ApprovalRow[]) => {
      pick.items = toPicks(rows, remove);
      pick.placeholder = rows.some((it) => it.isRule)
        ? vscode.l10n.t('What is allowed without asking, what needs approval and what is denied')
        : vscode.l10n.t('No rules yet. Every request needs your approval.');
    };
    const refresh = async (): Promise<void> => {
      pick.busy = true;
      await read(fill);
      pick.busy = false;
    };
    const stop = vscode.Disposable.from(
      pick.onDidTriggerItemButton(async ({ item: { row } }) => {
        if (row?.opens?.kind !== 'rule') return;
        const { host, id } = row.opens;
        await hosts()
          .find((it) => it.id === host)
          ?.client.request('x-switchboard/ruleRemove', { id });
        await refresh();
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
  });
}

/** Rows follow each other by their source. */
function toPicks(rows: readonly ApprovalRow[], remove: vscode.QuickInputButton): ApprovalPick[] {
  return rows.flatMap((row, index) => {
    const { source, icon, label, description, detail, opens } = row;
    const pick: ApprovalPick = {
      row,
      label: `$(${icon}) ${label}`,
      description,
      ...(detail !== undefined && { detail }),
      ...(opens?.kind === 'rule' && { buttons: [remove] }),
    };
    if (rows[index - 1]?.source === source) return [pick];
    return [{ label: source, kind: vscode.QuickPickItemKind.Separator }, pick];
  });
}
