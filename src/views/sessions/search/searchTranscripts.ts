import * as vscode from 'vscode';
import type { TranscriptMatch } from '../../../../sidecar/protocol/transcript.ts';
import { visibleText } from '../../../../sidecar/protocol/visibleText.ts';
import type { Host } from '../../../client/hosts.ts';
import { afterDelay } from '../../../client/requests.ts';
import { shortAge } from '../../../platform/ages.ts';
import { nowMs } from '../../../platform/clock.ts';
import { whyOf } from '../../../platform/whyOf.ts';
import type { ViewCommandsDeps } from '../viewCommands.ts';

/** A person types on meanwhile. */
const PAUSE_MS = 150;
/** Pages of a host that may have nothing before it is given up: it looked at many lines for each. */
const MOST_PAGES = 20;

interface Found extends vscode.QuickPickItem {
  readonly host?: Host;
  readonly match?: TranscriptMatch;
}
interface HostMatches {
  readonly host: Host;
  readonly items: readonly TranscriptMatch[];
  readonly isIndexing: boolean;
  /** Why it was not searched. */
  readonly failure?: string;
}

/** A list of the lines that match, in the chats of all hosts, newest first. The one that is chosen is shown in its chat. */
export function searchTranscripts({ hosts, openTurn }: ViewCommandsDeps, typed = ''): void {
  const list = vscode.window.createQuickPick<Found>();
  list.title = vscode.l10n.t('Search Transcripts');
  list.placeholder = vscode.l10n.t('Type words, or a phrase in quotation marks');
  list.ignoreFocusOut = true;
  list.matchOnDetail = true; // which marks what was found
  list.value = typed;
  let current = new AbortController();
  let waiting = afterDelay(() => undefined, 0);
  const ask = async (query: string, { signal }: AbortController) => {
    const found = await Promise.all(hosts.all.map((it) => matchesOf(it, query, signal)));
    if (signal.aborted) return;
    list.busy = false;
    list.title = found.some((it) => it.isIndexing)
      ? vscode.l10n.t('Search Transcripts (older turns are still being added)')
      : vscode.l10n.t('Search Transcripts');
    list.items = rowsOf(found, hosts.all.length > 1);
  };
  const changed = () => {
    current.abort();
    waiting.dispose();
    current = new AbortController();
    const asked = current;
    const query = list.value.trim().slice(0, 256);
    list.busy = query !== '';
    if (query === '') list.items = [];
    else waiting = afterDelay(() => void ask(query, asked), PAUSE_MS);
  };
  list.onDidChangeValue(changed);
  list.onDidHide(() => {
    current.abort();
    waiting.dispose();
    list.dispose();
  });
  list.onDidAccept(() => {
    const [picked] = list.activeItems;
    if (!picked?.match || !picked.host) return;
    list.hide();
    openTurn(picked.match.session, picked.match.turnId, picked.host.id);
  });
  list.show();
  changed();
}

async function matchesOf(host: Host, query: string, signal: AbortSignal): Promise<HostMatches> {
  let cursor: string | undefined;
  try {
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const params = { query, ...(cursor !== undefined && { cursor }) };
      const { items, nextCursor, isIndexing } = await host.client.request('x-switchboard/searchTranscripts', params, {
        signal,
      });
      if (items.length > 0 || nextCursor === undefined) return { host, items, isIndexing };
      cursor = nextCursor;
    }
    return { host, items: [], isIndexing: false };
  } catch (error) {
    return { host, items: [], isIndexing: false, failure: whyOf(error) };
  }
}

function rowsOf(found: readonly HostMatches[], namesHosts: boolean): Found[] {
  const rows = found
    .flatMap(({ host, items }) => items.map((match) => ({ host, match })))
    .toSorted((a, b) => (a.match.at < b.match.at ? 1 : -1))
    .map(({ host, match }) => rowOf(host, match, namesHosts));
  const failed = found.flatMap(({ host, failure }) =>
    failure === undefined
      ? []
      : [
          {
            label: vscode.l10n.t('{0} could not be searched', host.name),
            detail: plain(failure),
            iconPath: new vscode.ThemeIcon('warning'),
            alwaysShow: true,
          },
        ],
  );
  if (rows.length + failed.length > 0) return [...rows, ...failed];
  return [{ label: vscode.l10n.t('No results contain all of these words'), alwaysShow: true }];
}

function rowOf(host: Host, match: TranscriptMatch, namesHost: boolean): Found {
  const age = shortAge(vscode.l10n, match.at, nowMs());
  return {
    label: plain(match.title) || vscode.l10n.t('New session'),
    description: namesHost && host.id !== '' ? `${host.name} · ${age}` : age,
    detail: plain(match.line),
    iconPath: new vscode.ThemeIcon('comment-discussion'),
    alwaysShow: true, // the host decides what matches
    host,
    match,
  };
}

/** Words of agents: nothing of them is taken for an icon, and nothing is hidden in them. */
function plain(text: string): string {
  return visibleText(text).replaceAll('$(', String.raw`\$(`);
}
