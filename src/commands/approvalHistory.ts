import * as vscode from 'vscode';
import { visibleText } from '../../sidecar/protocol/visibleText.ts';
import { shortAge } from '../platform/ages.ts';
import { nowMs } from '../platform/clock.ts';
import type { ApprovalsDeps } from './approvalsModule.ts';
import { decisionsMarkdown, decisionText, type KeptDecision } from './decisionText.ts';

interface HistoryPick extends vscode.QuickPickItem {
  readonly decision?: KeptDecision;
  readonly host?: string;
}
interface Source {
  readonly id: string;
  readonly read: () => Promise<void>;
  readonly found: KeptDecision[];
  /** Absent: it has no older ones. */
  next: number | undefined;
  /** It could not be asked. */
  isAway: boolean;
}

const PAGE = 50;

/** What was allowed and denied on every host, newest first. A row opens its chat at the turn; older rows are read when asked for. */
export async function showApprovalHistory(deps: ApprovalsDeps): Promise<void> {
  const sources = sourcesOf(deps);
  const pick = vscode.window.createQuickPick<HistoryPick>();
  pick.title = vscode.l10n.t('Approval History');
  pick.placeholder = vscode.l10n.t('What was allowed or denied, and who decided. Select a row to open its chat.');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.ignoreFocusOut = true;
  const save: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('export'),
    tooltip: vscode.l10n.t('Export…'),
  };
  pick.buttons = [save];
  const fill = () => {
    pick.keepScrollPosition = true;
    pick.items = toPicks(sources);
  };
  const more = async (asked: readonly Source[]): Promise<void> => {
    pick.busy = true;
    await Promise.all(asked.map((it) => it.read()));
    pick.busy = false;
    fill();
  };
  const stop = vscode.Disposable.from(
    pick.onDidTriggerButton(async () => {
      pick.hide();
      await exportHistory(deps, sources);
    }),
    pick.onDidAccept(async () => {
      const [picked] = pick.selectedItems;
      if (!picked) return;
      if (!picked.decision) return more(sources.filter((it) => it.next !== undefined));
      pick.hide();
      const { session, turnId } = picked.decision;
      deps.openChat(session, { turnId, ...(picked.host && { host: picked.host }) });
    }),
    pick.onDidHide(() => {
      stop.dispose();
      pick.dispose();
    }),
  );
  pick.show();
  await more(sources);
}

function sourcesOf({ hosts }: ApprovalsDeps): readonly Source[] {
  return hosts().map(({ id, client }) => {
    const source: Source = {
      id,
      found: [],
      next: undefined,
      isAway: false,
      async read() {
        const params = { limit: PAGE, ...(source.next !== undefined && { before: source.next }) };
        const page = await client.request('x-switchboard/decisions', params).catch(() => undefined);
        source.isAway = page === undefined;
        source.found.push(...(page?.items ?? []));
        source.next = page?.next;
      },
    };
    return source;
  });
}

/** Newest first; a row at the end reads on where there are older ones. */
function toPicks(sources: readonly Source[]): HistoryPick[] {
  const now = nowMs();
  const rows = merged(sources).map(({ decision, host }): HistoryPick => {
    const { what, at, title } = decision;
    const words = visibleText(what).replace(/\s*\n\s*/g, ' ⏎ ');
    return {
      decision,
      host,
      label: `$(${decision.allowed ? 'check' : 'circle-slash'}) ${words}`,
      description: shortAge(vscode.l10n, at, now),
      detail: [decisionText(vscode.l10n, decision), visibleText(title || vscode.l10n.t('New session'))].join(' · '),
    };
  });
  if (sources.some((it) => it.isAway)) rows.push({ label: `$(warning) ${awayText()}`, alwaysShow: true });
  if (rows.length === 0) return [{ label: vscode.l10n.t('Nothing has been allowed or denied yet.') }];
  if (sources.every((it) => it.next === undefined)) return rows;
  return [...rows, { label: `$(history) ${vscode.l10n.t('Show Older…')}`, alwaysShow: true }];
}

const awayText = () => vscode.l10n.t('A host is not responding, so its history is not shown.');

/** Of several hosts. A host that has older ones may have some that belong between those of others. */
function merged(sources: readonly Source[]): { readonly decision: KeptDecision; readonly host: string }[] {
  return sources
    .flatMap(({ id, found }) => found.map((decision) => ({ decision, host: id })))
    .toSorted((a, b) => b.decision.at.localeCompare(a.decision.at));
}

/** All that the hosts keep, not only what was shown. */
async function exportHistory({ openText }: ApprovalsDeps, sources: readonly Source[]): Promise<void> {
  const formats = [
    { label: 'JSON', format: 'json' as const },
    { label: 'Markdown', format: 'md' as const },
  ];
  const title = vscode.l10n.t('Export Approval History');
  const picked = await vscode.window.showQuickPick(formats, { title, ignoreFocusOut: true });
  if (!picked) return;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  const isRead = await vscode.window.withProgress(options, async (_progress, stopped) => {
    for (const it of sources) while (it.next !== undefined && !stopped.isCancellationRequested) await it.read();
    return !stopped.isCancellationRequested;
  });
  if (!isRead) return;
  if (sources.some((it) => it.isAway)) void vscode.window.showWarningMessage(awayText());
  const decisions = merged(sources).map((it) => it.decision);
  const text =
    picked.format === 'json' ? `${JSON.stringify(decisions, null, 2)}\n` : decisionsMarkdown(vscode.l10n, decisions);
  // The editor asks where, and writes: this extension writes no files of a person.
  await openText(vscode.l10n.t('Approval History'), text, picked.format);
  await vscode.commands.executeCommand('workbench.action.files.saveAs');
}
