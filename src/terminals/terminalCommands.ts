import * as vscode from 'vscode';
import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import type { TerminalAction, TerminalClaim, TerminalInfo } from '../../sidecar/protocol/channels/terminal/schema.ts';
import { ROOT, schemes } from '../../sidecar/protocol/uris.ts';
import type { HostPort } from '../client/port.ts';
import { whenShown } from '../client/whenShown.ts';
import { commandIds } from '../manifest/manifest.ts';
import { OpenTerminals } from './openTerminals.ts';

export interface TerminalCommandsDeps {
  readonly port: HostPort;
  readonly clientId: string;
  readonly sessions: () => readonly SessionSummary[];
}

/** Terminals of the host: opened, held and given back, ended. A row names one; without a row a person chooses. */
export function registerTerminalCommands(deps: TerminalCommandsDeps): vscode.Disposable {
  const shown = new OpenTerminals(deps.port, deps.clientId);
  const on = (command: string, run: (terminal: TerminalInfo) => unknown) =>
    vscode.commands.registerCommand(command, async (row: unknown) => {
      const { terminals = [] } = await whenShown<RootState>(deps.port, ROOT);
      const uri = idIn(row, 'terminal');
      const terminal = uri === undefined ? await pickTerminal(terminals) : terminals.find((it) => it.resource === uri);
      if (terminal) await run(terminal);
    });
  const claim = (terminal: TerminalInfo, by: TerminalClaim) => {
    const action: TerminalAction = { type: 'terminal/claimed', claim: by };
    deps.port.dispatch(terminal.resource, action);
  };
  return vscode.Disposable.from(
    shown,
    on(commandIds.openTerminal, (it) => shown.show(it.resource, it.title)),
    on(commandIds.takeTerminal, (it) => claim(it, { kind: 'client', clientId: deps.clientId })),
    on(commandIds.giveTerminal, async (it) => {
      const session = await pickSession(deps, vscode.l10n.t('Which session gets the terminal?'));
      if (!session) return;
      // A session is given to only by who looks at it.
      const hold = deps.port.open(session.resource);
      await whenShown(deps.port, session.resource);
      claim(it, { kind: 'session', session: session.resource });
      hold.dispose();
    }),
    on(commandIds.endTerminal, ({ resource }) => deps.port.request('disposeTerminal', { channel: resource })),
    vscode.commands.registerCommand(commandIds.newTerminal, async (row: unknown) => {
      const uri = idIn(row, 'session');
      const session =
        uri === undefined
          ? await pickSession(deps, vscode.l10n.t('In the folder of which session?'))
          : deps.sessions().find((it) => it.resource === uri);
      if (session) await create(deps, shown, session);
    }),
  );
}

async function create({ port, clientId }: TerminalCommandsDeps, shown: OpenTerminals, session: SessionSummary) {
  const channel = `${schemes.terminal}:/${crypto.randomUUID()}`;
  const [cwd] = session.workingDirectories ?? [];
  const name = session.title || vscode.l10n.t('New session');
  const claim: TerminalClaim = { kind: 'client', clientId };
  await port.request('createTerminal', { channel, claim, name, ...(cwd !== undefined && { cwd }) });
  shown.show(channel, name);
}

async function pickTerminal(terminals: readonly TerminalInfo[]): Promise<TerminalInfo | undefined> {
  if (terminals.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('The host has no terminals.'));
    return undefined;
  }
  const items = terminals.map((terminal) => ({ label: terminal.title, terminal }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which terminal?') });
  return picked?.terminal;
}

async function pickSession(deps: TerminalCommandsDeps, placeHolder: string): Promise<SessionSummary | undefined> {
  const items = deps.sessions().map((session) => ({ label: session.title || vscode.l10n.t('New session'), session }));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.session;
}

function idIn(row: unknown, kind: string): string | undefined {
  if (typeof row !== 'object' || row === null || !('kind' in row) || row.kind !== kind) return undefined;
  return 'id' in row && typeof row.id === 'string' ? row.id : undefined;
}
