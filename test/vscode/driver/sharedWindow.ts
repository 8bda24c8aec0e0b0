import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { readHostFile } from '../../../sidecar/launch/attach/hostFile.ts';
import { endProcessesMentioning, processesMentioning } from '../../support/editor/processes.ts';
import { emptyFolder, type Scratch } from '../../support/scratch.ts';
import type { Backend } from './backend.ts';
import type { Probe } from './probe.ts';
import { until, untilSeen } from './until.ts';
import type { EditorWindow } from './window.ts';

/** An editor with the folders below it and its one window, which suites use one after another. */
export interface Shared {
  readonly scratch: Scratch;
  readonly backend: Backend;
  readonly window: EditorWindow;
}

/** Tells the settings of one suite from those of another. */
export const suiteSetting = 'probe.suite';

/** What the last suite left. */
let free: Shared | undefined;

/** What another suite left, if its window is still there: a suite may have ended the browser. */
export async function takeShared(): Promise<Shared | undefined> {
  if (free?.window.page.isClosed()) await closeShared();
  const taken = free;
  free = undefined;
  return taken;
}

export function leaveShared(left: Shared): void {
  free = left;
}

/** For the end of a run. */
export async function closeShared(): Promise<void> {
  const closed = free;
  free = undefined;
  await closed?.backend.close();
  closed?.scratch.remove();
}

/**
 * Makes a window that another suite left look as one that has just opened, with the settings of `suite`, and gives it a new
 * host in an empty `dataDir`.
 */
export async function renew(
  { page, probe, notifications }: EditorWindow,
  suite: string,
  dataDir: string,
): Promise<void> {
  await page.context().unrouteAll();
  for (const it of page.context().pages()) if (it !== page) await it.close();
  await page.emulateMedia({ colorScheme: null, forcedColors: null });
  await page.mouse.move(0, 0);
  await page.keyboard.press('Escape'); // answers a dialog, which would hold up the commands
  await probe.run(tidy);
  await untilSeen('no editor is open', async () => (await probe.tabs()).length, 0);
  await stopHost(page, probe);
  await until('no host runs', () => {
    endProcessesMentioning(dataDir);
    return processesMentioning(dataDir).length === 0;
  });
  if (existsSync(dataDir)) emptyFolder(dataDir);
  await untilSeen(
    'the window has the settings of the suite',
    () => probe.run<string>('return vscode.workspace.getConfiguration().get(arg);', suiteSetting),
    suite,
  );
  await probe.command('switchboard.host.restart');
  await until('the new host runs', () => readHostFile(dataDir));
  await notifications.clear();
}

/** Answers the question that comes while an agent works. */
async function stopHost(page: Page, probe: Probe): Promise<void> {
  const anyway = page.getByRole('button', { name: 'Stop Anyway' });
  let isStopped = false;
  const stopping = probe.command('switchboard.host.stop').then(() => {
    isStopped = true;
  });
  const answered = until('the host is stopped', async () => {
    if (!isStopped && (await anyway.isVisible())) await anyway.click({ timeout: 5_000 });
    return isStopped;
  });
  await Promise.all([stopping, answered]);
}

/** Runs in the extension host. Terminals end first, and unsaved files are reverted: closing them would ask. */
const tidy = `
  const run = (id) => vscode.commands.executeCommand('workbench.' + id);
  await run('action.closeQuickOpen');
  await run('action.terminal.killAll');
  for (const it of vscode.workspace.textDocuments.filter((it) => it.isDirty)) {
    await vscode.window.showTextDocument(it);
    await run('action.revertAndCloseActiveEditor');
  }
  for (const it of ['closeAllEditors', 'closePanel', 'closeAuxiliaryBar']) await run('action.' + it);
  await run('view.explorer');
  return null;
`;
