import * as vscode from 'vscode';
import type { RootState } from '../../../../sidecar/protocol/channels/root/schema.ts';
import { racers } from '../../../../sidecar/protocol/channels/session/race.ts';
import { ROOT } from '../../../../sidecar/protocol/uris.ts';
import type { HostPort } from '../../../client/port.ts';
import { whenShown } from '../../../client/whenShown.ts';
import { settingIds } from '../../../manifest/manifest.ts';
import { moneyText } from '../../../platform/counts.ts';
import { beginRace, type Entry, type Wanted } from './beginRace.ts';

/** Asks what races, and starts it after one click. @returns whether it did */
export async function startRace(port: HostPort): Promise<boolean> {
  const folder = await chooseFolder();
  if (folder === undefined) return false;
  const wanted = await ask(port, folder);
  if (!wanted) return false;
  const [sandboxed, plain] = [vscode.l10n.t('Start in Sandboxes'), vscode.l10n.t('Start')];
  const question = vscode.l10n.t('Start a race of {0} sessions?', wanted.entries.length);
  const picked = await vscode.window.showWarningMessage(
    question,
    { modal: true, detail: detailOf(wanted) },
    sandboxed,
    plain,
  );
  if (picked === undefined) return false;
  const title = vscode.l10n.t('Starting the race…');
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
    beginRace(port, wanted, picked === sandboxed),
  );
  return true;
}

async function chooseFolder(): Promise<string | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) return (await vscode.window.showWorkspaceFolderPick())?.uri.toString();
  const [only] = folders;
  if (!only)
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a folder with a Git repository to start a race.'));
  return only?.uri.toString();
}

async function ask(port: HostPort, folder: string): Promise<Wanted | undefined> {
  const title = vscode.l10n.t('Race Agents');
  const input = (prompt: string, more: vscode.InputBoxOptions = {}) =>
    vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true, ...more });
  const required = vscode.l10n.t('Enter a prompt.');
  const prompt = await input(vscode.l10n.t('Prompt for all sessions'), {
    validateInput: (it) => (it.trim() === '' ? required : undefined),
  });
  if (prompt === undefined) return undefined;
  const entries = await chooseEntries(port, title);
  if (!entries) return undefined;
  const check = await input(vscode.l10n.t('Command that checks each result in its worktree (optional)'), {
    placeHolder: 'npm test',
  });
  if (check === undefined) return undefined;
  const wrong = vscode.l10n.t('Enter an amount in US dollars, or leave the field empty.');
  const budget = await input(
    vscode.l10n.t('Budget for each session in US dollars. Leave empty to use the budget in the settings.'),
    {
      placeHolder: '1.00',
      validateInput: (it) => (it.trim() === '' || Number(it) > 0 ? undefined : wrong),
    },
  );
  if (budget === undefined) return undefined;
  const dollars = budget.trim() === '' ? undefined : Number(budget);
  return { folder, prompt, entries, check: check.trim(), ...(dollars !== undefined && { dollars }) };
}

/** If only one agent is picked, it runs several times. */
async function chooseEntries(port: HostPort, title: string): Promise<Entry[] | undefined> {
  const { agents } = await whenShown<RootState>(port, ROOT);
  const items = agents.flatMap(({ provider, displayName, models }): (vscode.QuickPickItem & { entry: Entry })[] => [
    { label: displayName, entry: { provider, name: displayName } },
    ...models.map((it) => {
      const name = `${displayName}, ${it.name}`;
      return { label: name, description: it.id, entry: { provider, model: it.id, name } };
    }),
  ]);
  const placeHolder = vscode.l10n.t(
    'Select up to {0} agents or models. If you select one, you can run it several times.',
    racers.most,
  );
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder,
    canPickMany: true,
    ignoreFocusOut: true,
  });
  const chosen = picked?.slice(0, racers.most).map((it) => it.entry) ?? [];
  const [only] = chosen;
  if (!only) return undefined;
  if (chosen.length > 1) return chosen;
  const counts = Array.from({ length: racers.most - racers.least + 1 }, (_, at) => racers.least + at);
  const times = await vscode.window.showQuickPick(
    counts.map((count) => ({ label: vscode.l10n.t('{0} sessions', count), count })),
    { title, placeHolder: vscode.l10n.t('Select how many sessions of {0} to start', only.name), ignoreFocusOut: true },
  );
  return times && Array.from({ length: times.count }, () => only);
}

function detailOf({ entries, check, dollars }: Wanted): string {
  const setUp = vscode.workspace.getConfiguration().get(settingIds.setUpCommand, '').trim();
  return [
    ...[...new Set(entries)].map((it) => `• ${named(it, entries)}`),
    '',
    dollars === undefined
      ? vscode.l10n.t('The budgets in the settings apply.')
      : vscode.l10n.t('Each session may spend up to {0}.', moneyText(dollars)),
    ...(setUp === '' ? [] : [vscode.l10n.t('Set-up: {0}', setUp)]),
    ...(check === '' ? [] : [vscode.l10n.t('Check: {0}', check)]),
    '',
    vscode.l10n.t(
      'Each session works in a worktree of its own and edits files there without asking. In a sandbox, agents that can decide for themselves do so. Everything else that needs your approval is in the Inbox.',
    ),
  ].join('\n');
}

/** With how often it runs, where that is more than once. */
function named(entry: Entry, entries: readonly Entry[]): string {
  const count = entries.filter((it) => it === entry).length;
  return count > 1 ? `${entry.name} × ${count}` : entry.name;
}
