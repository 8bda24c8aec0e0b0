import * as vscode from 'vscode';
import type { ToolAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { attempt, choose, type GatewayActions, targetOf } from './actions.ts';
import { serverIn } from './servers.ts';
import { argumentsSkeleton, optionalNames, readArguments, resultText } from './toolArguments.ts';

/** Calls a tool as any client would, through the gateway, and shows what it said. */
export async function testTool(actions: GatewayActions, argument: unknown): Promise<void> {
  const { l10n } = vscode;
  const title = l10n.t('Test Tool');
  await attempt(l10n.t('The tool was not called.'), async () => {
    const name = targetOf(argument, 'tool');
    const row = (name === undefined ? {} : argument) as { readonly server?: string };
    const server = row.server ?? (await serverIn(actions, argument, title));
    if (server === undefined) return;
    const look = await actions.model.tools(server);
    if ('problem' in look) throw new Error(look.problem);
    const named = look.tools.find((it) => it.name === name);
    const toItem = (it: ToolAnswer) => ({ label: it.name, detail: it.description ?? '' });
    const none = l10n.t('This server has no tools.');
    const tool = named ?? (await choose(look.tools, title, l10n.t('Which tool?'), toItem, none));
    const values = tool && (await askArguments(tool));
    if (!tool || !values) return;
    const progress = { location: vscode.ProgressLocation.Notification, title: l10n.t('Calling {0}…', tool.name) };
    const result = await vscode.window.withProgress(progress, () => actions.routes.callTool(server, tool.name, values));
    const heading = result.isError ? l10n.t('{0} failed', tool.name) : l10n.t('Result from {0}', tool.name);
    await actions.show(tool.name, `${heading}\n${JSON.stringify(values)}\n\n${resultText(result)}\n`);
    await actions.model.look();
  });
}

async function askArguments({ name, description, inputSchema }: ToolAnswer) {
  const { l10n } = vscode;
  const skeleton = argumentsSkeleton(inputSchema);
  if (skeleton === undefined) return {};
  const optional = optionalNames(inputSchema);
  const line = await vscode.window.showInputBox({
    title: l10n.t('Arguments for {0} as JSON', name),
    prompt: [description?.split('\n', 1)[0], optional && l10n.t('Optional: {0}', optional)].filter(Boolean).join(' · '),
    value: skeleton,
    ignoreFocusOut: true,
    validateInput(text) {
      const read = readArguments(text, inputSchema);
      if ('values' in read) return undefined;
      return read.kind === 'missing'
        ? l10n.t('"{0}" is required.', read.name)
        : l10n.t('A JSON object, such as {0}', skeleton);
    },
  });
  const read = line === undefined ? undefined : readArguments(line, inputSchema);
  return read && 'values' in read ? read.values : undefined;
}
