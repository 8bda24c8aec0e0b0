import * as vscode from 'vscode';
import { askOne, askText, attempt, type GatewayActions } from './actions.ts';
import { authFields, isPrivateAddress, nameFor, splitCommandLine, withCredential } from './forms.ts';
import { signIn } from './servers.ts';

type Transport = 'http' | 'sse' | 'stdio';

/** Asks what a server is and who we are to it, and registers it. Secrets go to the gateway and nowhere else. */
export async function addServer(actions: GatewayActions): Promise<void> {
  const { l10n } = vscode;
  const title = l10n.t('Add MCP Server');
  const transport = await askOne<Transport>(title, [
    { value: 'http', label: 'HTTP', description: l10n.t('streamable HTTP, at an address') },
    { value: 'stdio', label: 'stdio', description: l10n.t('a program on this machine') },
    { value: 'sse', label: 'SSE', description: l10n.t('the older HTTP transport') },
  ]);
  if (!transport) return;
  const place = transport === 'stdio' ? await askProgram(actions, title) : await askAddress(title, transport);
  if (!place) return;
  const name = await askText(title, l10n.t('What is it called? Its tools get this name in front.'), {
    value: nameFor(place.where),
    check: (it) => (/^[A-Za-z0-9_.-]+$/.test(it) ? undefined : l10n.t('Letters, digits, "-", "_" and "." only.')),
  });
  if (name === undefined) return;
  const auth = transport === 'stdio' ? {} : await askAuth(title);
  if (!auth) return;
  await attempt(l10n.t('The server was not added.'), async () => {
    const added = await actions.routes.addServer({ server_name: name, transport, ...place.record, ...auth });
    await actions.model.refresh();
    if (added.auth_type === 'oauth2') await signIn(actions, added.server_id);
    else void tellTools(actions, added.server_id, name);
  });
}

/** Says at once whether it works: a server that was added and does not answer is worth a look now. */
async function tellTools({ model }: GatewayActions, server: string, name: string): Promise<void> {
  const look = await model.tools(server);
  if ('problem' in look) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('{0} was added, but it does not answer: {1}', name, look.problem),
    );
  } else {
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} was added. Tools: {1}', name, look.tools.length));
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
  const url = await askText(title, l10n.t('The address of the server, for example {0}', example), {
    check: (it) =>
      /^https?:\/\/\S+$/.test(it) && URL.canParse(it)
        ? undefined
        : l10n.t('An http or https address is needed, for example {0}', example),
  });
  if (url === undefined) return undefined;
  if (!isPrivateAddress(url)) return { where: url, record: { url } };
  const allowed = await askOne(l10n.t('{0} is on this machine or a private network', new URL(url).host), [
    { value: true, label: l10n.t('Let the gateway reach it') },
    { value: false, label: l10n.t('Cancel') },
  ]);
  return allowed ? { where: url, record: { url, allow_private_network: true } } : undefined;
}

async function askProgram({ mayRun }: GatewayActions, title: string): Promise<Place | undefined> {
  const { l10n } = vscode;
  const line = await askText(
    title,
    l10n.t('The command line, for example {0}', 'npx -y @modelcontextprotocol/server-everything'),
  );
  if (line === undefined) return undefined;
  const [command = '', ...args] = splitCommandLine(line);
  if (!(await mayRun(command))) return undefined;
  return { where: line, record: { command, args } };
}

async function askAuth(title: string): Promise<object | undefined> {
  const { l10n } = vscode;
  const authType = await askOne(title, [
    { value: 'none', label: l10n.t('No authentication') },
    { value: 'bearer_token', label: l10n.t('Bearer token') },
    { value: 'api_key', label: l10n.t('API key'), description: 'X-API-Key' },
    { value: 'oauth2', label: l10n.t('Sign in with OAuth 2'), description: l10n.t('in the browser') },
    { value: 'basic', label: l10n.t('User and password'), description: 'Basic' },
    { value: 'authorization', label: l10n.t('A whole Authorization header') },
    { value: 'token', label: l10n.t('Token'), description: 'Authorization: token …' },
    { value: 'oauth2_token_exchange', label: l10n.t('OAuth 2 token exchange'), description: 'RFC 8693' },
    { value: 'cloud_sigv4', label: l10n.t('Signed requests'), description: 'SigV4' },
  ]);
  if (authType === undefined) return undefined;
  const answers: Record<string, string> = {};
  for (const { name, isSecret, isOptional } of authFields[authType] ?? []) {
    const prompt = isOptional ? l10n.t('{0} (may stay empty)', fieldText(authType, name)) : fieldText(authType, name);
    const answer = await askText(title, prompt, { isSecret: isSecret ?? false, isOptional: isOptional ?? false });
    if (answer === undefined) return undefined;
    answers[name] = answer.trim();
  }
  return withCredential(authType, answers);
}

function fieldText(authType: string, name: string): string {
  const { l10n } = vscode;
  if (name === 'auth_value') return authType === 'basic' ? l10n.t('user:password') : l10n.t('The key or token');
  const texts: Readonly<Record<string, string>> = {
    client_id: l10n.t('Client id'),
    client_secret: l10n.t('Client secret'),
    token_exchange_endpoint: l10n.t('Address of the token exchange'),
    audience: l10n.t('Audience'),
    aws_region_name: l10n.t('Region, for example eu-central-1'),
    aws_service_name: l10n.t('Service, for example execute-api'),
    aws_access_key_id: l10n.t('Access key id'),
    aws_secret_access_key: l10n.t('Secret access key'),
  };
  return texts[name] ?? name;
}
