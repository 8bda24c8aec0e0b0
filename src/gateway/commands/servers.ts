import * as vscode from 'vscode';
import { attempt, choose, copy, type GatewayActions, mayRemove, pictureOf, targetOf } from './actions.ts';

/** The server that a row means, the only one there is, or the one that the person chooses. */
export async function serverIn(actions: GatewayActions, argument: unknown, title: string): Promise<string | undefined> {
  const target = targetOf(argument, 'server');
  if (target !== undefined) return target;
  const { servers } = await pictureOf(actions);
  const [only] = servers;
  if (only && servers.length === 1) return only.server_id;
  const { l10n } = vscode;
  const chosen = await choose(
    servers,
    title,
    l10n.t('Which server?'),
    (it) => ({ label: nameOf(it), description: it.url ?? it.command ?? '' }),
    l10n.t('No servers yet. Add one first.'),
  );
  return chosen?.server_id;
}

async function recordIn(actions: GatewayActions, argument: unknown, title: string) {
  const id = await serverIn(actions, argument, title);
  return (await pictureOf(actions)).servers.find((it) => it.server_id === id);
}

export const nameOf = (it: {
  readonly alias?: string | null | undefined;
  readonly server_name?: string | null | undefined;
  readonly server_id: string;
}) => it.alias ?? it.server_name ?? it.server_id;

export async function removeServer(actions: GatewayActions, argument: unknown): Promise<void> {
  const { l10n } = vscode;
  await attempt(l10n.t('The server was not removed.'), async () => {
    const server = await recordIn(actions, argument, l10n.t('Remove MCP Server'));
    if (!server || !(await mayRemove(nameOf(server)))) return;
    await actions.routes.removeServer(server.server_id);
    await actions.model.refresh();
  });
}

/** In the dashboard, where every field has its place. */
export async function editServer(actions: GatewayActions, argument: unknown): Promise<void> {
  const { l10n } = vscode;
  await attempt(l10n.t('The server cannot be edited.'), async () => {
    const server = await recordIn(actions, argument, l10n.t('Edit MCP Server'));
    if (!server) return;
    const query = new URLSearchParams({ page: 'mcp_servers', search: nameOf(server), edit: server.server_id });
    actions.openDashboard(query.toString());
  });
}

/** Opens the server's own sign-in in the browser; the gateway keeps the tokens. */
export async function signIn(actions: GatewayActions, argument: unknown): Promise<void> {
  const { l10n } = vscode;
  await attempt(l10n.t('Sign-in could not be started.'), async () => {
    const id = await serverIn(actions, argument, l10n.t('Sign In to MCP Server'));
    if (id === undefined) return;
    const { url } = await actions.routes.signIn(id);
    const opened = await vscode.env.openExternal(await vscode.env.asExternalUri(vscode.Uri.parse(url)));
    if (!opened) return;
    // The message leaves by itself after a while; who comes back to the window then sees the server as it is.
    const back = vscode.window.onDidChangeWindowState(({ focused }) => {
      if (!focused) return;
      back.dispose();
      void actions.model.refresh();
    });
    const done = l10n.t('Done');
    const text = l10n.t('Sign in using your browser, then select Done.');
    if ((await vscode.window.showInformationMessage(text, done)) !== done) return;
    back.dispose();
    await actions.model.refresh();
  });
}

/** Where clients reach the whole gateway, one server, or one agent. */
export async function copyEndpoint(actions: GatewayActions, argument: unknown): Promise<void> {
  const { l10n } = vscode;
  await attempt(l10n.t('The endpoint was not copied.'), async () => {
    const { servers, agents } = await pictureOf(actions);
    const { baseUrl } = await actions.address();
    const part = encodeURIComponent;
    const all = [
      { id: '', label: l10n.t('All servers'), path: '/mcp' },
      ...servers.map((it) => ({ id: it.server_id, label: nameOf(it), path: `/${part(nameOf(it))}/mcp` })),
      ...agents.map((it) => ({ id: it.agent_id, label: it.agent_name, path: `/a2a/${part(it.agent_id)}` })),
    ];
    const id = targetOf(argument, 'server') ?? targetOf(argument, 'agent') ?? targetOf(argument, 'key');
    const meant = all.find((it) => it.id === id) ?? (id === undefined ? undefined : all[0]);
    const chosen =
      meant ??
      (await choose(all, l10n.t('Copy Endpoint'), l10n.t('Which endpoint?'), (it) => ({
        label: it.label,
        description: baseUrl + it.path,
      })));
    if (chosen) await copy(baseUrl + chosen.path, baseUrl + chosen.path);
  });
}
