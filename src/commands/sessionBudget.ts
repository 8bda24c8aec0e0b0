import * as vscode from 'vscode';
import { type BudgetLimit, budgetOf } from '../../sidecar/protocol/channels/session/budgets.ts';
import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import type { HostPort } from '../client/port.ts';
import { budgetWords } from '../platform/budgetWords.ts';
import { budgetProblem } from './budgetProblem.ts';

interface Pick extends vscode.QuickPickItem {
  readonly choice: 'dollars' | 'calls' | 'none' | 'settings';
}

/** @see SessionsModule.setBudget */
export async function setBudget(port: HostPort, { resource, title, _meta }: SessionSummary): Promise<void> {
  const now = budgetOf(_meta);
  const items: Pick[] = [
    { choice: 'dollars', label: vscode.l10n.t('In US dollars…') },
    { choice: 'calls', label: vscode.l10n.t('In calls to models…') },
    { choice: 'none', label: vscode.l10n.t('No budget') },
    { choice: 'settings', label: vscode.l10n.t('As in the settings') },
  ];
  const left = now && budgetWords(vscode.l10n, now);
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Budget of {0}', title || vscode.l10n.t('New session')),
    placeHolder: left
      ? vscode.l10n.t('Now: {0}', left)
      : vscode.l10n.t("When a call to one of the gateway's models would exceed the budget, you are asked."),
    ignoreFocusOut: true,
  });
  if (!picked) return;
  const limit = await limitOf(picked.choice, now?.limit);
  if (limit === undefined) return;
  await port.request('x-switchboard/setBudget', { channel: resource, limit });
}

/** @returns `undefined` if the user canceled */
async function limitOf(choice: Pick['choice'], now: BudgetLimit | undefined): Promise<BudgetLimit | null | undefined> {
  if (choice === 'none') return {};
  if (choice === 'settings') return null;
  const text = await vscode.window.showInputBox({
    title: choice === 'dollars' ? vscode.l10n.t('Budget in US dollars') : vscode.l10n.t('Budget in calls to models'),
    prompt: vscode.l10n.t('What the session has already used counts toward the budget.'),
    value: String(now?.[choice] ?? ''),
    ignoreFocusOut: true,
    validateInput: (typed) => budgetProblem(vscode.l10n, choice, typed),
  });
  return text === undefined ? undefined : { [choice]: Number(text) };
}
