import * as vscode from 'vscode';
import type { SessionSummary } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { hasFlag, status } from '../../../../sidecar/protocol/status.ts';
import type { Host } from '../../../client/hosts.ts';
import { shortAge } from '../../../platform/ages.ts';
import { nowMs } from '../../../platform/clock.ts';
import { folderName, stateOf } from '../groups.ts';
import { agentIcon } from '../rows.ts';
import type { ViewCommandsDeps } from '../viewCommands.ts';
import { stateWord } from '../words.ts';
import { matchScore } from './fuzzy.ts';
import { searchTranscripts } from './searchTranscripts.ts';

/** As many as the host gives at once. */
const PAGE = 1000;
/** A person types another letter rather than scroll through more. */
const MOST_SHOWN = 200;

interface Found extends vscode.QuickPickItem {
  readonly host: Host;
  readonly session: SessionSummary;
  readonly description: string;
}

/** A list of the titles of all sessions of all hosts. Pages come in while a person types. */
export async function searchSessions(deps: ViewCommandsDeps): Promise<void> {
  const { hosts, agentName, openChat } = deps;
  const list = vscode.window.createQuickPick<Found>();
  list.title = vscode.l10n.t('Search Sessions');
  list.placeholder = vscode.l10n.t('Type part of a title, agent, or folder');
  list.ignoreFocusOut = true;
  list.busy = true;
  let isOpen = true;
  const all: Found[] = [];
  const draw = () => {
    list.items = best(all, list.value);
  };
  list.buttons = [
    { iconPath: new vscode.ThemeIcon('comment-discussion'), tooltip: vscode.l10n.t('Search Transcripts…') },
  ];
  list.onDidTriggerButton(() => {
    const { value } = list;
    list.hide();
    searchTranscripts(deps, value);
  });
  list.onDidChangeValue(draw);
  list.onDidHide(() => {
    isOpen = false;
    list.dispose();
  });
  list.onDidAccept(() => {
    const [picked] = list.activeItems;
    list.hide();
    if (!picked) return;
    picked.host.catalogue.learn(picked.session);
    openChat(picked.session.resource);
  });
  list.show();
  try {
    for (const host of hosts.all) {
      for await (const page of pagesOf(host)) {
        if (!isOpen) return;
        all.push(...page.map((session) => itemOf(host, session, agentName)));
        draw();
      }
    }
  } finally {
    if (isOpen) list.busy = false;
  }
}

/** The best first; those that fit as well stay newest first. */
function best(all: readonly Found[], typed: string): Found[] {
  return all
    .flatMap((it) => {
      const fits = matchScore(typed, it.label, it.description);
      return fits === undefined ? [] : [{ it, fits }];
    })
    .toSorted((a, b) => b.fits - a.fits)
    .slice(0, MOST_SHOWN)
    .map(({ it }) => it);
}

async function* pagesOf({ client }: Host): AsyncGenerator<readonly SessionSummary[]> {
  let cursor: string | undefined;
  do {
    const page = await client.request('root/listSessions', { limit: PAGE, ...(cursor !== undefined && { cursor }) });
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

function itemOf(host: Host, session: SessionSummary, agentName: (provider: string) => string): Found {
  const state = stateOf(session);
  const parts = [
    folderName(session),
    agentName(session.provider),
    state === 'done' ? '' : stateWord(vscode.l10n, state),
    hasFlag(session.status, status.IsArchived) ? vscode.l10n.t('archived') : '',
    host.id === '' ? '' : host.name,
    shortAge(vscode.l10n, session.modifiedAt, nowMs()),
  ];
  return {
    label: session.title || vscode.l10n.t('New session'),
    description: parts.filter((it) => it !== '').join(' · '),
    iconPath: new vscode.ThemeIcon(agentIcon(session.provider) ?? 'hubot'),
    alwaysShow: true, // the editor's own match knows no letters left out
    host,
    session,
  };
}
