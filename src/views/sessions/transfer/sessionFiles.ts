import * as vscode from 'vscode';
import type { ChatState } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import type {
  SessionAction,
  SessionState,
  SessionSummary,
} from '../../../../sidecar/protocol/channels/session/schema.ts';
import {
  SESSION_FORMAT,
  type SessionHead,
  type SessionRecord,
} from '../../../../sidecar/protocol/channels/session/sessionFile.ts';
import { sessionUri } from '../../../../sidecar/protocol/uris.ts';
import type { Hosts } from '../../../client/hosts.ts';
import { whenShown } from '../../../client/whenShown.ts';
import type { SessionsChats } from '../sessionsModule.ts';
import { continueIn } from './continueIn.ts';

interface SessionFilesDeps {
  readonly hosts: Pick<Hosts, 'of' | 'get' | 'sessions' | 'request'>;
  readonly chats: SessionsChats;
  /** Where a new session works, as a URI. */
  readonly folders: { readonly folder: string | undefined };
}

type Format = 'json' | 'markdown';
/** Characters of records that go in one message, and one record more. */
const PIECE = 500_000;

/** Sessions as files: out, in, and on from there. */
export class SessionFiles {
  readonly #deps: SessionFilesDeps;

  constructor(deps: SessionFilesDeps) {
    this.#deps = deps;
  }

  async export(rows: readonly SessionSummary[]): Promise<void> {
    const session = await this.#choose(rows);
    const format = session && (await pickFormat());
    if (!session || !format) return;
    const content = await this.#read(session.resource, format);
    if (content === undefined) return;
    // The editor asks where, and writes: this extension writes no files of a person.
    await this.#deps.chats.outputs.open(session.title, content, format === 'json' ? 'json' : 'md');
    await vscode.commands.executeCommand('workbench.action.files.saveAs');
    const message = vscode.l10n.t(
      'Known secrets in the exported session were hidden. Check the file before you share it.',
    );
    void vscode.window.showInformationMessage(message);
  }

  async copyAll(rows: readonly SessionSummary[]): Promise<void> {
    const session = await this.#choose(rows);
    const text = session && (await this.#read(session.resource, 'markdown'));
    if (text === undefined) return;
    await vscode.env.clipboard.writeText(text);
    vscode.window.setStatusBarMessage(vscode.l10n.t('The session was copied as Markdown.'), 4_000);
  }

  async import(): Promise<void> {
    const [source] =
      (await vscode.window.showOpenDialog({
        title: vscode.l10n.t('Import Session'),
        openLabel: vscode.l10n.t('Import'),
        filters: { JSON: ['json'] },
      })) ?? [];
    if (!source) return;
    const file = parseFile(new TextDecoder().decode(await vscode.workspace.fs.readFile(source)));
    if (!file)
      throw new Error(
        vscode.l10n.t('The file was not imported because it is not a session that Switchboard exported as JSON.'),
      );
    const session = sessionUri(crypto.randomUUID());
    await this.#send(session, file);
    this.#deps.chats.open(session);
    const go = vscode.l10n.t('Continue in New Session');
    const message = vscode.l10n.t('The session was imported as an archived session, so no agent is running in it.');
    if ((await vscode.window.showInformationMessage(message, go)) === go) await this.#goOn(session);
  }

  /** Another agent, or the same one, goes on where the imported session ended. */
  async continue([session]: readonly SessionSummary[]): Promise<void> {
    if (session) await this.#goOn(session.resource);
  }

  /** Another agent is handed what this one said and changed. */
  async continueIn(rows: readonly SessionSummary[]): Promise<void> {
    const session = await this.#choose(rows);
    if (session) await continueIn(this.#deps, session, () => this.#read(session.resource, 'markdown'));
  }

  async #goOn(session: string): Promise<void> {
    const { hosts, folders, chats: shown } = this.#deps;
    const { client, id } = hosts.of(session);
    const { defaultChat, chats, title } = await whenShown<SessionState>(client, session);
    const chat = defaultChat ?? chats[0]?.resource;
    const last = chat === undefined ? undefined : (await whenShown<ChatState>(client, chat)).turns.at(-1);
    if (!last) throw new Error(vscode.l10n.t('The session has no turn to continue from.'));
    const next = sessionUri(crypto.randomUUID());
    const here = folders.folder;
    await client.request('createSession', {
      channel: next,
      fork: { session, turnId: last.id },
      ...(id === '' && here !== undefined && { workingDirectories: [here] }),
    });
    // The host lists a session from its first action on.
    const named: SessionAction = { type: 'session/titleChanged', title: vscode.l10n.t('{0} (continued)', title) };
    client.dispatch(next, named);
    shown.open(next, id === '' ? {} : { host: id });
  }

  async #choose([first]: readonly SessionSummary[]): Promise<SessionSummary | undefined> {
    const { hosts, chats } = this.#deps;
    const known = first ?? hosts.get(chats.active ?? '');
    if (known) return known;
    const picked = await vscode.window.showQuickPick(
      hosts.sessions
        .toSorted((a, b) => b.modifiedAt.localeCompare(a.modifiedAt))
        .map((session) => ({ label: session.title || vscode.l10n.t('New session'), session })),
      { placeHolder: vscode.l10n.t('Which session?'), ignoreFocusOut: true },
    );
    return picked?.session;
  }

  /** `undefined` when a person stopped it. */
  #read(session: string, format: Format): Thenable<string | undefined> {
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Reading the session…'),
      cancellable: true,
    };
    return vscode.window.withProgress(options, async (_progress, stop) => {
      const pieces: string[] = [];
      let cursor: string | undefined;
      do {
        const params = { channel: session, format, ...(cursor !== undefined && { cursor }) };
        const { text, nextCursor } = await this.#deps.hosts.request('x-switchboard/exportSession', params);
        pieces.push(text);
        cursor = nextCursor;
      } while (cursor !== undefined && !stop.isCancellationRequested);
      return stop.isCancellationRequested ? undefined : pieces.join('');
    });
  }

  async #send(session: string, { head, records }: SessionFile): Promise<void> {
    const send = (part: readonly SessionRecord[], more: { head?: SessionHead; isLast: boolean }) =>
      this.#deps.hosts.request('x-switchboard/importSession', { session, records: [...part], ...more });
    await send([], { head, isLast: false });
    let part: SessionRecord[] = [];
    let size = 0;
    for (const record of records) {
      part.push(record);
      size += JSON.stringify(record).length;
      if (size < PIECE) continue;
      await send(part, { isLast: false });
      part = [];
      size = 0;
    }
    await send(part, { isLast: true });
  }
}

/** As the host will judge it. */
interface SessionFile {
  readonly head: SessionHead;
  readonly records: readonly SessionRecord[];
}

function parseFile(text: string): SessionFile | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined; // no JSON at all
  }
  if (typeof read !== 'object' || read === null || !('format' in read) || read.format !== SESSION_FORMAT)
    return undefined;
  const { records, ...head } = read as SessionHead & { readonly records?: unknown };
  return Array.isArray(records) ? { head, records: records as SessionRecord[] } : undefined;
}

async function pickFormat(): Promise<Format | undefined> {
  const choices: (vscode.QuickPickItem & { readonly format: Format })[] = [
    { label: 'Markdown', detail: vscode.l10n.t('For reading and sharing'), format: 'markdown' },
    {
      label: 'JSON',
      detail: vscode.l10n.t('For importing into Switchboard and for use by other tools'),
      format: 'json',
    },
  ];
  const picked = await vscode.window.showQuickPick(choices, {
    title: vscode.l10n.t('Export Session'),
    placeHolder: vscode.l10n.t('Select a format'),
    ignoreFocusOut: true,
  });
  return picked?.format;
}
