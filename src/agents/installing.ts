import * as vscode from 'vscode';
import {
  type InstalledAgentInfo,
  InstallPhase,
  type RegistryAgent,
} from '../../sidecar/protocol/channels/root/agentRegistry.ts';
import { fromHost } from '../platform/localizer.ts';
import { sizeText } from '../platform/sizes.ts';
import { whyOf } from '../platform/whyOf.ts';
import type { AddAgentDeps } from './addAgentModule.ts';
import { offerText } from './rows.ts';

/** npm looks a package up over the network. */
const OFFER_MS = 90_000;
/** Longer than the host lets npm or a download take. */
const INSTALL_MS = 60 * 60_000;

/** Shows what exactly would be done, does it when the person confirms, and says how it went. */
export async function install(deps: AddAgentDeps, { id, name, installed }: RegistryAgent): Promise<void> {
  const { l10n } = vscode;
  const { port } = deps;
  try {
    const offer = await withProgress(l10n.t('Looking up {0}', name), (signal) =>
      port.request('x-switchboard/agentOffer', { id }, { timeoutMs: OFFER_MS, signal }),
    );
    if (!offer) return;
    const isUpdate = installed !== undefined;
    const confirm = isUpdate ? l10n.t('Update') : l10n.t('Install');
    const question = isUpdate
      ? l10n.t('Update {0} from {1} to {2}?', name, installed.version, offer.version)
      : l10n.t('Install {0} {1}?', name, offer.version);
    const detail = offerText(l10n, offer);
    const answer = await vscode.window.showInformationMessage(question, { modal: true, detail }, confirm);
    if (answer !== confirm) return;
    const info = await working(deps, l10n.t('Installing {0}', name), (progressToken, signal) =>
      port.request(
        'x-switchboard/agentInstall',
        { token: offer.token, progressToken },
        { timeoutMs: INSTALL_MS, signal },
      ),
    );
    if (info) await installedWell(deps, { id, name }, info);
  } catch (error) {
    void vscode.window.showErrorMessage(l10n.t('{0} was not installed: {1}', name, reasonOf(error)));
  }
}

/** What runs code of a package is asked for by the package's name. */
export async function runScripts(
  deps: AddAgentDeps,
  { id, name }: Pick<RegistryAgent, 'id' | 'name'>,
  scripts: readonly string[],
): Promise<void> {
  const { l10n } = vscode;
  const picked = await vscode.window.showQuickPick(
    scripts.map((label) => ({ label })),
    {
      title: l10n.t('Run install scripts for {0}', name),
      placeHolder: l10n.t('Select the packages whose install scripts can run programs on this machine'),
      canPickMany: true,
      ignoreFocusOut: true,
    },
  );
  if (!picked || picked.length === 0) return;
  const packages = picked.map((it) => it.label);
  try {
    const info = await working(deps, l10n.t('Running install scripts for {0}', name), (progressToken, signal) =>
      deps.port.request(
        'x-switchboard/agentScripts',
        { id, packages, progressToken },
        { timeoutMs: INSTALL_MS, signal },
      ),
    );
    if (info) await installedWell(deps, { id, name }, info);
  } catch (error) {
    void vscode.window.showErrorMessage(l10n.t('The install scripts failed: {0}', reasonOf(error)));
  }
}

export async function remove({ port }: AddAgentDeps, { id, name, installed }: RegistryAgent): Promise<void> {
  const { l10n } = vscode;
  const confirm = l10n.t('Remove');
  const detail = l10n.t(
    'The folder {0} will be deleted. Sessions that use {1} will be kept, but they cannot continue until you install it again.',
    installed?.folder ?? '',
    name,
  );
  const question = l10n.t('Remove {0}?', name);
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, confirm)) !== confirm) return;
  try {
    await port.request('x-switchboard/agentRemove', { id });
    void vscode.window.showInformationMessage(l10n.t('{0} was removed.', name));
  } catch (error) {
    void vscode.window.showErrorMessage(l10n.t('{0} was not removed: {1}', name, reasonOf(error)));
  }
}

async function installedWell(
  deps: AddAgentDeps,
  { id, name }: Pick<RegistryAgent, 'id' | 'name'>,
  { version, scripts }: InstalledAgentInfo,
): Promise<void> {
  const { l10n } = vscode;
  const start = l10n.t('New Session');
  const run = l10n.t('Run Install Scripts…');
  const isInstalled = l10n.t('{0} {1} is installed.', name, version);
  if (deps.opensChat) deps.newChat(id);
  if (deps.opensChat && scripts.length === 0) return void vscode.window.setStatusBarMessage(isInstalled, 5_000);
  const next = deps.opensChat ? [] : [start];
  const chosen =
    scripts.length === 0
      ? await vscode.window.showInformationMessage(isInstalled, ...next)
      : await vscode.window.showWarningMessage(
          l10n.t(
            '{0} {1} is installed. The install scripts for the following packages were not run: {2}. If the agent does not work, try running them.',
            name,
            version,
            scripts.join(', '),
          ),
          ...next,
          run,
        );
  if (chosen === start) deps.newChat(id);
  else if (chosen === run) await runScripts(deps, { id, name }, scripts);
}

/** With what the host says of its progress. @returns undefined when the person cancelled */
async function working<T>(
  { port, newId }: AddAgentDeps,
  title: string,
  work: (progressToken: string, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const token = newId();
  return withProgress(title, async (signal, report) => {
    const stop = port.onNotification('root/progress', ({ progressToken, progress, total, message }) => {
      const phase = InstallPhase.safeParse(message);
      if (progressToken === token && phase.success) report(phaseText(phase.data, progress, total));
    });
    try {
      return await work(token, signal);
    } finally {
      stop.dispose();
    }
  });
}

async function withProgress<T>(
  title: string,
  work: (signal: AbortSignal, report: (message: string) => void) => Promise<T>,
): Promise<T | undefined> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (progress, cancel) => {
    const ended = new AbortController();
    const stop = cancel.onCancellationRequested(() => ended.abort());
    try {
      return await work(ended.signal, (message) => progress.report({ message }));
    } catch (error) {
      if (!ended.signal.aborted) throw error;
      return undefined;
    } finally {
      stop.dispose();
    }
  });
}

function phaseText(phase: InstallPhase, done: number, total: number | undefined): string {
  const { l10n } = vscode;
  switch (phase) {
    case 'download':
      return total === undefined
        ? l10n.t('downloading, {0}', sizeText(l10n, done))
        : l10n.t('downloading, {0} of {1}', sizeText(l10n, done), sizeText(l10n, total));
    case 'unpack':
      return l10n.t('unpacking');
    case 'install':
      return l10n.t('downloading packages');
    case 'scripts':
      return l10n.t('running install scripts');
    case 'verify':
      return l10n.t('recording what was installed');
  }
}

export function reasonOf(error: unknown): string {
  return fromHost(vscode.l10n, whyOf(error));
}
