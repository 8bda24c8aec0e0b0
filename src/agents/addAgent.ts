import * as vscode from 'vscode';
import type { RegistryAgent, RegistryAnswer } from '../../sidecar/protocol/channels/root/agentRegistry.ts';
import { commandIds } from '../manifest/manifest.ts';
import type { AddAgentDeps } from './addAgentModule.ts';
import { themedIcon } from './icons.ts';
import { install, reasonOf, remove, runScripts } from './installing.ts';
import { agentGroups, agentRow, originText } from './rows.ts';

interface Row extends vscode.QuickPickItem {
  readonly agent?: RegistryAgent;
  readonly run?: 'configure' | 'leftOut';
}
type Action = 'update' | 'remove' | 'scripts' | 'new';

/** Longer than the host waits for the registry and its pictures. */
const LIST_MS = 60_000;

/** Shows the agents of the registry, and does what the person chooses. */
export async function addAgent(deps: AddAgentDeps): Promise<void> {
  const chosen = await pickAgent(deps);
  if (!chosen) return;
  const { agent, action } = chosen;
  switch (action) {
    case 'update':
      return install(deps, agent);
    case 'remove':
      return remove(deps, agent);
    case 'scripts':
      return runScripts(deps, agent, agent.installed?.scripts ?? []);
    case 'new':
      return deps.newChat(agent.id);
  }
}

type Chosen = { readonly agent: RegistryAgent; readonly action: Action };

async function pickAgent({ port }: AddAgentDeps): Promise<Chosen | undefined> {
  const { l10n } = vscode;
  const list = vscode.window.createQuickPick<Row>();
  list.title = l10n.t('Add Agent');
  list.placeholder = l10n.t('Loading agents from the registry…');
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.ignoreFocusOut = true;
  list.busy = true;
  const closed = new AbortController();
  const picked = new Promise<Chosen | Row | undefined>((resolve) => {
    list.onDidAccept(() => resolve(list.selectedItems[0]));
    list.onDidTriggerItemButton(({ item, button }) => {
      const action = (button as ActionButton).action;
      resolve(item.agent && { agent: item.agent, action });
    });
    list.onDidHide(() => {
      closed.abort();
      resolve(undefined);
    });
  });
  list.show();
  let answer: RegistryAnswer;
  try {
    answer = await port.request('x-switchboard/agentRegistry', {}, { timeoutMs: LIST_MS, signal: closed.signal });
  } catch (error) {
    if (!closed.signal.aborted)
      void vscode.window.showErrorMessage(l10n.t('The agents could not be listed: {0}', reasonOf(error)));
    list.dispose();
    return undefined;
  }
  list.items = rowsOf(answer);
  list.placeholder = originText(l10n, answer, (it) => new Date(it).toLocaleDateString());
  list.busy = false;
  const chosen = await picked;
  list.dispose();
  if (chosen === undefined) return undefined;
  if ('action' in chosen) return chosen;
  if (chosen.run === 'configure') await vscode.commands.executeCommand(commandIds.configureAgents);
  else if (chosen.run === 'leftOut') await showLeftOut(answer);
  else if (chosen.agent) return actionFor(chosen.agent);
  return undefined;
}

interface ActionButton extends vscode.QuickInputButton {
  readonly action: Action;
}

function rowsOf({ items, leftOut }: RegistryAnswer): Row[] {
  const { l10n } = vscode;
  const { Separator } = vscode.QuickPickItemKind;
  const rows = agentGroups(l10n, items).flatMap(({ title, agents }): Row[] => [
    { label: title, kind: Separator },
    ...agents.map((agent) => ({
      ...agentRow(l10n, agent),
      iconPath: themedIcon(agent.icon),
      buttons: buttonsOf(agent),
      agent,
    })),
  ]);
  const skipped: Row[] =
    leftOut.length === 0
      ? []
      : [
          {
            label:
              leftOut.length === 1 ? l10n.t('1 entry was skipped') : l10n.t('{0} entries were skipped', leftOut.length),
            detail: l10n.t('The registry describes it in a way that Switchboard does not support.'),
            iconPath: new vscode.ThemeIcon('warning'),
            run: 'leftOut',
          },
        ];
  return [
    ...rows,
    { label: '', kind: Separator },
    ...skipped,
    {
      label: l10n.t('Configure Agents in Settings…'),
      detail: l10n.t('For agents that are not in the registry'),
      iconPath: new vscode.ThemeIcon('settings-gear'),
      run: 'configure',
    },
  ];
}

function buttonsOf({ installed, canUpdate, version }: RegistryAgent): ActionButton[] {
  const { l10n } = vscode;
  if (!installed) return [];
  return [
    ...(canUpdate
      ? [
          {
            action: 'update' as const,
            iconPath: new vscode.ThemeIcon('arrow-up'),
            tooltip: l10n.t('Update to {0}', version),
          },
        ]
      : []),
    { action: 'remove', iconPath: new vscode.ThemeIcon('trash'), tooltip: l10n.t('Remove') },
  ];
}

/** What the buttons of a row do, for those who do not use a mouse. */
async function actionFor(agent: RegistryAgent): Promise<Chosen | undefined> {
  const { l10n } = vscode;
  const { installed, canUpdate, version, name } = agent;
  if (!installed) return { agent, action: 'update' };
  const items: (vscode.QuickPickItem & { action: Action })[] = [
    { label: l10n.t('New Session'), action: 'new' },
    ...(canUpdate ? [{ label: l10n.t('Update to {0}', version), action: 'update' as const }] : []),
    ...(installed.scripts.length > 0 ? [{ label: l10n.t('Run Install Scripts…'), action: 'scripts' as const }] : []),
    { label: l10n.t('Remove'), detail: installed.folder, action: 'remove' },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: `${name} ${installed.version}`,
    ignoreFocusOut: true,
  });
  return picked && { agent, action: picked.action };
}

async function showLeftOut({ leftOut, address }: RegistryAnswer): Promise<void> {
  const items = leftOut.map(({ name, reason }) => ({ label: name, description: reason }));
  await vscode.window.showQuickPick(items, {
    ignoreFocusOut: true,
    title: vscode.l10n.t('Entries that were skipped'),
    placeHolder: address,
  });
}
