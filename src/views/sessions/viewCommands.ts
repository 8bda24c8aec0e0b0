import * as vscode from 'vscode';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { Hosts } from '../../client/hosts.ts';
import type { KeptArrangement } from './arrangement.ts';
import { type Arrangement, folderName, noFilter, type SessionsFilter, sessionStates } from './groups.ts';
import { searchSessions } from './search/searchSessions.ts';
import { searchTranscripts } from './search/searchTranscripts.ts';
import { stateWord } from './words.ts';

export interface ViewCommandsDeps {
  readonly hosts: Pick<Hosts, 'all' | 'at'>;
  readonly arrangement: KeptArrangement;
  readonly agentName: (provider: string) => string;
  readonly openChat: (session: string) => void;
  /** @param host the address of the host; empty: this machine */
  readonly openTurn: (session: string, turnId: string, host: string) => void;
}

type Choice<T> = vscode.QuickPickItem & { readonly value?: T };

/** What is done with the view as a whole. */
export class ViewCommands {
  readonly #deps: ViewCommandsDeps;

  constructor(deps: ViewCommandsDeps) {
    this.#deps = deps;
  }

  search(): Promise<void> {
    return searchSessions(this.#deps);
  }

  searchTranscripts(): void {
    searchTranscripts(this.#deps);
  }

  async filter(): Promise<void> {
    const { arrangement, agentName } = this.#deps;
    const { filter } = arrangement.now;
    const known = this.#sessions;
    const choices: Choice<Partial<SessionsFilter>>[] = [
      heading(vscode.l10n.t('Status')),
      ...sessionStates.map((it) => ({
        label: capitalized(stateWord(vscode.l10n, it)),
        picked: filter.states.includes(it),
        value: { states: [it] },
      })),
      { label: vscode.l10n.t('Unread'), picked: filter.unread, value: { unread: true } },
      { label: vscode.l10n.t('Archived'), picked: filter.archived, value: { archived: true } },
      heading(vscode.l10n.t('Agent')),
      ...among(
        known.map((it) => it.provider),
        filter.agents,
      ).map((it) => ({
        label: agentName(it),
        picked: filter.agents.includes(it),
        value: { agents: [it] },
      })),
      heading(vscode.l10n.t('Folder')),
      ...among(known.map(folderName), filter.folders).map((it) => ({
        label: it || vscode.l10n.t('No folder'),
        picked: filter.folders.includes(it),
        value: { folders: [it] },
      })),
    ];
    const picked = await vscode.window.showQuickPick(choices, {
      canPickMany: true,
      ignoreFocusOut: true,
      title: vscode.l10n.t('Filter Sessions'),
      placeHolder: vscode.l10n.t('Show only the sessions that match'),
    });
    if (!picked) return;
    const values = picked.flatMap((it) => it.value ?? []);
    await arrangement.change({
      filter: {
        states: values.flatMap((it) => it.states ?? []),
        agents: values.flatMap((it) => it.agents ?? []),
        folders: values.flatMap((it) => it.folders ?? []),
        unread: values.some((it) => it.unread),
        archived: values.some((it) => it.archived),
      },
    });
  }

  resetFilter(): Promise<void> {
    return this.#deps.arrangement.change({ filter: noFilter });
  }

  async arrange(): Promise<void> {
    const { arrangement } = this.#deps;
    const { groupBy, sortBy } = arrangement.now;
    const now = (isSo: boolean) => (isSo ? { description: vscode.l10n.t('current') } : {});
    const choices: Choice<Partial<Pick<Arrangement, 'groupBy' | 'sortBy'>>>[] = [
      heading(vscode.l10n.t('Group by')),
      { label: vscode.l10n.t('Status and time'), ...now(groupBy === 'time'), value: { groupBy: 'time' } },
      { label: vscode.l10n.t('Folder'), ...now(groupBy === 'folder'), value: { groupBy: 'folder' } },
      heading(vscode.l10n.t('Sort by')),
      { label: vscode.l10n.t('Last update'), ...now(sortBy === 'updated'), value: { sortBy: 'updated' } },
      { label: vscode.l10n.t('Creation'), ...now(sortBy === 'created'), value: { sortBy: 'created' } },
    ];
    const picked = await vscode.window.showQuickPick(choices, {
      title: vscode.l10n.t('Group and Sort Sessions'),
      ignoreFocusOut: true,
    });
    if (picked?.value) await arrangement.change(picked.value);
  }

  /** @param address of a host elsewhere; of this machine where there is none */
  async showMore(address: unknown): Promise<void> {
    await this.#deps.hosts.at(typeof address === 'string' ? address : '')?.catalogue.loadMore();
  }

  get #sessions(): readonly SessionSummary[] {
    return this.#deps.hosts.all.flatMap((it) => it.catalogue.sessions);
  }
}

function heading(label: string): vscode.QuickPickItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** What there is, and what was chosen before although no session has it now. */
function among(found: readonly string[], chosen: readonly string[]): string[] {
  return [...new Set([...found, ...chosen])].toSorted((a, b) => a.localeCompare(b));
}

function capitalized(word: string): string {
  return word.charAt(0).toLocaleUpperCase() + word.slice(1);
}
