import * as vscode from 'vscode';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import type { ProtectedResourceMetadata } from '../../sidecar/protocol/shared.ts';
import { AgentLogin, SessionProblem } from '../../sidecar/protocol/window.ts';
import type { Attention } from '../client/attention.ts';
import type { HostPort } from '../client/port.ts';
import { whenShown } from '../client/whenShown.ts';
import { commandIds } from '../manifest/manifest.ts';
import { keyOf } from './answering.ts';

export interface TokenStore {
  resources(): Promise<readonly string[]>;
  get(resource: string): Promise<string | undefined>;
  set(resource: string, token: string): Promise<void>;
  remove(resource: string): Promise<void>;
}

export interface SignInDeps {
  readonly port: HostPort;
  readonly attention: Attention;
  readonly tokens: TokenStore;
  readonly warn: (message: string) => void;
}

/**
 * Two ways to sign in. What an agent keeps for itself is done by the agent's own login in a terminal; what the host
 * holds for a protected resource is a token from the secret storage, pushed after every start and when it is asked for.
 */
export function registerSignIn(deps: SignInDeps): vscode.Disposable {
  const tried = new Set<string>();
  return vscode.Disposable.from(
    deps.port.onDidConnect(() => {
      tried.clear();
      void pushAll(deps);
    }),
    deps.port.onNotification('auth/required', ({ resource }) => void pushStored(deps, resource)),
    {
      dispose: deps.attention.onDidChange(() => {
        for (const { request, key } of deps.attention.pending) {
          if (request.kind !== 'toolAuthentication' || tried.has(key)) continue;
          tried.add(key);
          void pushStored(deps, request.toolCall.auth.resource.resource);
        }
      }).dispose,
    },
    vscode.commands.registerCommand(commandIds.signIn, async (argument: unknown) => {
      const pending = deps.attention.find(keyOf(argument));
      if (pending?.request.kind === 'toolAuthentication') {
        await askForToken(deps, pending.request.toolCall.auth.resource);
        return;
      }
      await openLogin(deps, sessionOf(argument));
    }),
  );
}

/** @returns whether the host took a token */
export async function askForToken(deps: SignInDeps, resource: ProtectedResourceMetadata): Promise<boolean> {
  const name = resource.resource_name ?? resource.resource;
  const token = await vscode.window.showInputBox({
    title: vscode.l10n.t('Sign in to {0}', name),
    prompt: vscode.l10n.t("Paste an access token. It is kept in the editor's secret storage."),
    password: true,
    ignoreFocusOut: true,
  });
  if (!token) return false;
  await deps.tokens.set(resource.resource, token);
  try {
    await deps.port.request('authenticate', { resource: resource.resource, token });
    return true;
  } catch {
    // The host's answer may quote what it was given: nothing of it is shown or logged.
    await deps.tokens.remove(resource.resource);
    void vscode.window.showErrorMessage(vscode.l10n.t('The token for {0} was refused.', name));
    return false;
  }
}

async function pushAll(deps: SignInDeps): Promise<void> {
  for (const resource of await deps.tokens.resources()) await pushStored(deps, resource);
}

async function pushStored({ port, tokens, warn }: SignInDeps, resource: string): Promise<void> {
  const token = await tokens.get(resource);
  if (token === undefined) return;
  try {
    await port.request('authenticate', { resource, token });
  } catch {
    // Refused, or no agent asks for it any more. The token stays; a request for it will say so. No answer is logged,
    // because it may quote the token.
    warn(`a stored token for ${resource} was not taken`);
  }
}

/** The agent's own login in a terminal: what it writes is the agent's business. */
async function openLogin({ port }: SignInDeps, session: string | undefined): Promise<void> {
  const state = session === undefined ? undefined : await whenShown<SessionState>(port, session);
  const login = state && loginOf(state);
  if (!state || !login) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'This agent does not say how to sign in. Sign in with its own program, then send your prompt again.',
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

function sessionOf(argument: unknown): string | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  // A row of the tree, or the notice that the row shows.
  const row: unknown = 'row' in argument ? argument.row : argument;
  if (typeof row !== 'object' || row === null || !('session' in row)) return undefined;
  return typeof row.session === 'string' ? row.session : undefined;
}
