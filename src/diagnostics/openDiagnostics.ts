import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { commandIds } from '../manifest/manifest.ts';
import { Cleaner } from './cleaner.ts';
import { collect, healthFacts, versionsOf } from './collect.ts';
import type { DiagnosticsDeps } from './diagnosticsModule.ts';
import { type HealthRow, healthRows } from './health.ts';
import { reportText } from './report.ts';
import { TrafficList } from './trafficList.ts';

/** What the commands of diagnostics run. */
export function openDiagnostics(deps: DiagnosticsDeps): Readonly<Record<string, () => unknown>> {
  const traffic = new TrafficList(deps, () => cleanerOf(deps));
  return {
    [commandIds.exportDiagnostics]: () => exportDiagnostics(deps),
    [commandIds.showTraffic]: () => traffic.open(),
    [commandIds.showHealth]: () => showHealth(deps),
    [commandIds.reportIssue]: () => reportIssue(deps),
  };
}

/** Knows what is in the secret storage now. */
async function cleanerOf({ secrets }: DiagnosticsDeps): Promise<Cleaner> {
  const cleaner = new Cleaner(homedir());
  for (const key of await secrets.keys()) cleaner.hide((await secrets.get(key)) ?? '');
  return cleaner;
}

/** A person reads it before it is anywhere but on the screen. */
async function exportDiagnostics(deps: DiagnosticsDeps): Promise<void> {
  const { l10n } = vscode;
  const text = reportText(await collect(deps), await cleanerOf(deps), l10n);
  await deps.show(l10n.t('Switchboard diagnostics'), text);
  const document = vscode.window.activeTextEditor?.document;
  const save = l10n.t('Save As…');
  const message = l10n.t('Check the diagnostics before you share them. Nothing has been saved or sent.');
  if ((await vscode.window.showInformationMessage(message, save)) !== save || !document) return;
  // The editor asks where, and writes: this extension writes no files of a person.
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand('workbench.action.files.saveAs');
}

async function showHealth(deps: DiagnosticsDeps): Promise<void> {
  const rows = healthRows(await healthFacts(deps), vscode.l10n);
  const run = ({ help }: HealthRow) => vscode.commands.executeCommand(help.command, ...help.args);
  const list = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly row: HealthRow }>();
  list.title = vscode.l10n.t('Health');
  list.placeholder = vscode.l10n.t('Select a line to run the suggested command');
  list.matchOnDescription = true;
  list.ignoreFocusOut = true;
  list.items = rows.map((row) => ({
    label: `$(${row.isWell ? 'pass' : 'warning'}) ${row.part}`,
    description: row.state,
    detail: row.help.label,
    buttons: [{ iconPath: new vscode.ThemeIcon('arrow-right'), tooltip: row.help.label }],
    row,
  }));
  const take = (picked: { readonly row: HealthRow } | undefined) => {
    list.hide();
    if (picked) void run(picked.row);
  };
  list.onDidAccept(() => take(list.selectedItems[0]));
  list.onDidTriggerItemButton(({ item }) => take(item));
  list.onDidHide(() => list.dispose());
  list.show();
}

/** VS Code asks for the rest, and knows where reports go. */
async function reportIssue(deps: DiagnosticsDeps): Promise<void> {
  const cleaner = await cleanerOf(deps);
  const rows = healthRows(await healthFacts(deps), vscode.l10n).filter((it) => !it.isWell);
  const facts = [
    ...Object.entries(versionsOf(deps)).map(([name, version]) => `- ${name}: ${version}`),
    ...rows.map(({ part, state }) => `- ${part}: ${state}`),
  ];
  const issueBody = `${vscode.l10n.t('What did you do, what happened, and what did you expect?')}\n\n`;
  const extensionData = cleaner.text(facts.join('\n'));
  const report = { extensionId: deps.extensionId, issueBody, extensionData };
  try {
    await vscode.commands.executeCommand('workbench.action.openIssueReporter', report);
  } catch {
    // In a browser the editor has no reporter of its own, and refuses an extension without an address for reports.
    await deps.show(vscode.l10n.t('Switchboard issue'), `${issueBody}${extensionData}\n`);
    void vscode.window.showWarningMessage(
      vscode.l10n.t('This editor cannot report issues for Switchboard. Copy the text into your report.'),
    );
  }
}
