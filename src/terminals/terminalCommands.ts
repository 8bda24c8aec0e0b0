import * as vscode from 'vscode';
import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import type { TerminalAction, TerminalClaim, TerminalInfo } from '../../sidecar/protocol/channels/terminal/schema.ts';
import { ROOT, schemes } from '../../sidecar/protocol/uris.ts';
import type { Host, Hosts } from '../client/hosts.ts';
import { rootStateOf } from '../client/rootState.ts';
import { whenShown } from '../client/whenShown.ts';
import { commandIds } from '../manifest/manifest.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import { OpenTerminals } from './openTerminals.ts';

export interface TerminalCommandsDeps {
  readonly hosts: Pick<Hosts, 'all' | 'local' | 'of' | 'sessions'>;
}

/** A terminal, and the host that runs it. */
interface HeldTerminal {
  readonly host: Host;
  readonly terminal: TerminalInfo;
}

/** Terminals of hosts: opened, held and given back, ended. A row names one; without a row a person chooses. */
export function registerTerminalCommands({ hosts }: TerminalCommandsDeps): vscode.Disposable {
  const shown = new OpenTerminals();
  const on = (command: string, run: (held: HeldTerminal) => unknown) =>
    onCommand(command, async (row: unknown) => {
      const held = await terminalsOf(hosts);
      const uri = idIn(row, 'terminal');
      const one = uri === undefined ? await pickTerminal(held) : held.find(({ terminal }) => terminal.resource === uri);
      if (one) await run(one);
    });
  const claim = ({ host, terminal }: HeldTerminal, by: TerminalClaim) => {
    const action: TerminalAction = { type: 'terminal/claimed', claim: by };
    host.client.dispatch(terminal.resource, action);
  };
  return vscode.Disposable.from(
    shown,
    on(commandIds.openTerminal, ({ host, terminal }) => shown.show(host, terminal.resource, terminal.title)),
    on(commandIds.takeTerminal, (it) => claim(it, { kind: 'client', clientId: it.host.client.clientId })),
    on(commandIds.giveTerminal, async (it) => {
      const { client, catalogue } = it.host;
      const session = await pickSession(catalogue.sessions, vscode.l10n.t('Select a session for the terminal'));
      if (!session) return;
      // A session is given to only by who looks at it.
      const hold = client.open(session.resource);
      await whenShown(client, session.resource);
      claim(it, { kind: 'session', session: session.resource });
      hold.dispose();
    }),
    on(commandIds.endTerminal, ({ host, terminal }) =>
      host.client.request('disposeTerminal', { channel: terminal.resource }),
    ),
    onCommand(commandIds.newTerminal, async (row: unknown) => {
      const uri =
        idIn(row, 'session') ??
        (await pickSession(hosts.sessions, vscode.l10n.t("Which session's folder do you want to use?")))?.resource;
      const host = uri === undefined ? undefined : hosts.of(uri);
      const session = uri === undefined ? undefined : host?.catalogue.get(uri);
      if (host && session) await create(host, shown, session);
    }),
  );
}

/** Of the host of this machine, and of those elsewhere that are attached to. */
async function terminalsOf(hosts: TerminalCommandsDeps['hosts']): Promise<HeldTerminal[]> {
  const { terminals = [] } = await whenShown<RootState>(hosts.local.client, ROOT);
  const own = terminals.map((terminal) => ({ host: hosts.local, terminal }));
  const others = hosts.all.filter((it) => it !== hosts.local);
  const far = others.flatMap((host) =>
    (rootStateOf(host.client)?.terminals ?? []).map((terminal) => ({ host, terminal })),
  );
  return [...own, ...far];
}

async function create(host: Host, shown: OpenTerminals, session: SessionSummary) {
  const { client } = host;
  const channel = `${schemes.terminal}:/${crypto.randomUUID()}`;
  const [cwd] = session.workingDirectories ?? [];
  const name = session.title || vscode.l10n.t('New session');
  const claim: TerminalClaim = { kind: 'client', clientId: client.clientId };
  await client.request('createTerminal', { channel, claim, name, ...(cwd !== undefined && { cwd }) });
  shown.show(host, channel, name);
}

async function pickTerminal(held: readonly HeldTerminal[]): Promise<HeldTerminal | undefined> {
  if (held.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No terminals are open on the host.'));
    return undefined;
  }
  const items = held.map((it) => ({
    label: it.terminal.title,
    ...(it.host.id !== '' && { description: it.host.name }),
    held: it,
  }));
  return (
    await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which terminal?'), ignoreFocusOut: true })
  )?.held;
}

async function pickSession(
  sessions: readonly SessionSummary[],
  placeHolder: string,
): Promise<SessionSummary | undefined> {
  const items = sessions.map((session) => ({ label: session.title || vscode.l10n.t('New session'), session }));
  return (await vscode.window.showQuickPick(items, { placeHolder, ignoreFocusOut: true }))?.session;
}

function idIn(row: unknown, kind: string): string | undefined {
  if (typeof row !== 'object' || row === null || !('kind' in row) || row.kind !== kind) return undefined;
  return 'id' in row && typeof row.id === 'string' ? row.id : undefined;
}
