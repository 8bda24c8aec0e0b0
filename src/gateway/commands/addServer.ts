import * as vscode from 'vscode';
import type { AuthTypeDefinition } from '../../../sidecar/protocol/gateway/authTypes/definition.ts';
import {
  type AuthTypeName,
  authTypeNames,
  authTypes,
  isSecretField,
} from '../../../sidecar/protocol/gateway/authTypes/index.ts';
import { addressProblem, askOne, askText, attempt, type GatewayActions } from './actions.ts';
import { askedFields, isPrivateAddress, nameFor, splitCommandLine, withCredential } from './forms.ts';
import { signIn } from './servers.ts';

type Transport = 'http' | 'sse' | 'stdio';

/** Asks what a server is and who we are to it, and registers it. Secrets go to the gateway and nowhere else. */
export async function addServer(actions: GatewayActions): Promise<void> {
  const { l10n } = vscode;
  const title = l10n.t('Add MCP Server');
  const transport = await askOne<Transport>(title, l10n.t('How is the server reached?'), [
    { value: 'http', label: 'HTTP', description: l10n.t('streamable HTTP at a URL') },
    { value: 'stdio', label: 'stdio', description: l10n.t('a program on this machine') },
    { value: 'sse', label: 'SSE', description: l10n.t('the older HTTP transport') },
  ]);
  if (!transport) return;
  const place = transport === 'stdio' ? await askProgram(actions, title) : await askAddress(title, transport);
  if (!place) return;
  const name = await askText(title, l10n.t("Server name. It becomes the prefix for the server's tools."), {
    value: nameFor(place.where),
    check: (it) => (/^[A-Za-z0-9_.-]+$/.test(it) ? undefined : l10n.t('Use only letters, digits, "-", "_", and ".".')),
  });
  if (name === undefined) return;
  const auth = transport === 'stdio' ? {} : await askAuth(title);
  if (!auth) return;
  await attempt(l10n.t('The server was not added.'), async () => {
    const added = await actions.routes.addServer({ server_name: name, transport, ...place.record, ...auth });
    await actions.model.refresh();
    if (added.auth_type === 'oauth2') await signIn(actions, added.server_id);
    else void reportTools(actions, added.server_id, name);
  });
}

/** Shows at once whether it works: a server that was added and does not answer is worth a look now. */
async function reportTools({ model }: GatewayActions, server: string, name: string): Promise<void> {
  const look = await model.tools(server);
  const { l10n, window } = vscode;
  if ('problem' in look) {
    void window.showWarningMessage(l10n.t('{0} was added but is not responding: {1}', name, look.problem));
  } else {
    const { length } = look.tools;
    void window.showInformationMessage(
      length === 1
        ? l10n.t('Server "{0}" was added with 1 tool.', name)
        : l10n.t('Server "{0}" was added with {1} tools.', name, length),
    );
  }
}

interface Place {
  /** As the person wrote it. */
  readonly where: string;
  readonly record: object;
}

async function askAddress(title: string, transport: Transport): Promise<Place | undefined> {
  const { l10n } = vscode;
  const example = transport === 'sse' ? 'https://example.com/sse' : 'https://example.com/mcp';
  const url = await askText(title, l10n.t("The server's address, such as {0}", example), {
    check: (it) => addressProblem(it, example),
  });
  if (url === undefined) return undefined;
  if (!isPrivateAddress(url)) return { where: url, record: { url } };
  const question = l10n.t('The address is on this machine or on a private network. Allow it?');
  const allowed = await askOne(title, question, [
    { value: true, label: l10n.t('Allow {0}', new URL(url).host) },
    { value: false, label: l10n.t('Cancel') },
  ]);
  return allowed ? { where: url, record: { url, allow_private_network: true } } : undefined;
}

async function askProgram({ mayRun }: GatewayActions, title: string): Promise<Place | undefined> {
  const { l10n } = vscode;
  const line = await askText(
    title,
    l10n.t('The command line, such as {0}', 'npx -y @modelcontextprotocol/server-everything'),
  );
  if (line === undefined) return undefined;
  const [command = '', ...args] = splitCommandLine(line);
  if (!(await mayRun(command))) return undefined;
  return { where: line, record: { command, args } };
}

async function askAuth(title: string): Promise<object | undefined> {
  const { l10n } = vscode;
  const choices = authTypeNames.map((value) => {
    const { label, description }: AuthTypeDefinition = authTypes[value];
    return { value, label: l10n.t(label), ...(description !== undefined && { description: l10n.t(description) }) };
  });
  const authType = await askOne<AuthTypeName>(title, l10n.t('Which authentication does the server require?'), choices);
  if (authType === undefined) return undefined;
  const answers: Record<string, string> = {};
  for (const [path, { label, help, asked }] of askedFields(authType)) {
    const isOptional = asked === 'optional';
    const name = isOptional ? l10n.t('{0} (optional)', l10n.t(label)) : l10n.t(label);
    const prompt = help === undefined ? name : `${name}. ${l10n.t(help)}`;
    const answer = await askText(title, prompt, { isSecret: isSecretField(path), isOptional });
    if (answer === undefined) return undefined;
    answers[path] = answer.trim();
  }
  return withCredential(authType, answers);
}
