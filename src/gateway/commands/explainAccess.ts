import * as vscode from 'vscode';
import type { ExplainAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { attempt, choose, type GatewayActions, pictureOf } from './actions.ts';
import { keyIn } from './keys.ts';
import { nameOf } from './servers.ts';

/** Why a key may or may not use something, level by level, by the code that decides it. */
export async function explainAccess(actions: GatewayActions, argument: unknown): Promise<void> {
  const { l10n, ThemeIcon } = vscode;
  const title = l10n.t('Explain Access');
  await attempt(l10n.t('The access explanation could not be loaded.'), async () => {
    const key = await keyIn(actions, argument, title);
    if (!key) return;
    const { servers, agents } = await pictureOf(actions);
    const things = [
      ...servers.map((it) => ({
        label: nameOf(it),
        iconPath: new ThemeIcon('server'),
        question: { server_id: it.server_id },
      })),
      ...agents.map((it) => ({
        label: it.agent_name,
        iconPath: new ThemeIcon('hubot'),
        question: { agent_id: it.agent_id },
      })),
    ];
    const thing = await choose(
      things,
      title,
      l10n.t('Which server or agent?'),
      (it) => it,
      l10n.t('No servers yet. Add one first.'),
    );
    if (!thing) return;
    const { question } = thing;
    const tool = 'server_id' in question ? await chooseTool(actions, question.server_id, title) : undefined;
    if (tool === null) return;
    const answer = await actions.routes.explain({
      key: key.token,
      ...question,
      ...(tool !== undefined && { tool }),
    });
    const about = tool === undefined ? thing.label : `${thing.label} / ${tool}`;
    await actions.show(l10n.t('Access for {0}', key.label), accessText(about, answer));
  });
}

/** `undefined`: the server as a whole; `null`: the person gave up. */
async function chooseTool(
  { model }: GatewayActions,
  server: string,
  title: string,
): Promise<string | undefined | null> {
  const look = await model.tools(server);
  const tools = 'tools' in look ? look.tools : [];
  const items = [
    { label: vscode.l10n.t('Entire server'), name: undefined },
    ...tools.map((it) => ({ label: it.name, name: it.name })),
  ];
  const picked = await choose(items, title, vscode.l10n.t('Which tool?'), (it) => it);
  return picked ? picked.name : null;
}

function accessText(about: string, { allowed, steps }: ExplainAnswer): string {
  const { l10n } = vscode;
  const verdict = allowed ? l10n.t('{0}: allowed', about) : l10n.t('{0}: not allowed', about);
  const signs = { allows: '+', forbids: '-', 'says nothing': ' ' };
  return `${verdict}\n\n${steps.map((it) => `${signs[it.effect]} ${it.says}`).join('\n')}\n`;
}
