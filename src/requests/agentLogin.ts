import * as vscode from 'vscode';
import { AgentLogin, SessionProblem } from '../../sidecar/protocol/channels/session/problem.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';

/** The agent's own login in a terminal: what it writes is the agent's business. */
export function openLogin(state: SessionState | undefined): void {
  const login = state && loginOf(state);
  if (!state || !login) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        "This agent does not tell Switchboard how to sign in. Sign in with the agent's own program, then send your message again.",
      ),
    );
    return;
  }
  const [folder] = state.workingDirectories ?? [];
  const terminal = vscode.window.createTerminal({
    name: vscode.l10n.t('Sign in: {0}', state.provider),
    iconPath: new vscode.ThemeIcon('key'),
    isTransient: true,
    shellPath: login.command,
    shellArgs: login.args,
    ...(login.env === undefined ? {} : { env: login.env }),
    ...(folder === undefined ? {} : { cwd: vscode.Uri.parse(folder) }),
  });
  terminal.show();
}

/** After a turn the session names it; before the first one, the failure of the agent's start does. */
function loginOf({ _meta, creationError }: SessionState): AgentLogin | undefined {
  const problem = SessionProblem.safeParse(_meta?.['problem']);
  if (problem.success && problem.data.login) return problem.data.login;
  return AgentLogin.safeParse(creationError?._meta?.['terminal']).data;
}
