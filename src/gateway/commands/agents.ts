import * as vscode from 'vscode';
import * as z from 'zod';
import { whyUnreachable } from '../reach.ts';
import {
  addressProblem,
  askText,
  attempt,
  choose,
  type GatewayActions,
  mayRemove,
  pictureOf,
  targetOf,
} from './actions.ts';
import { endpointOf, isPrivateAddress } from './forms.ts';

/** The part of an A2A agent card that we look at, of both styles; the rest is registered as it came. */
const Card = z.looseObject({
  name: z.string().min(1),
  url: z.string().optional(),
  supportedInterfaces: z.array(z.looseObject({ url: z.string(), protocolBinding: z.string().optional() })).optional(),
});
type Card = z.infer<typeof Card>;
const FETCH_MS = 15_000;

/** Registers the agent whose card lies at an address. */
export async function addAgent(actions: GatewayActions): Promise<void> {
  const { l10n } = vscode;
  const title = l10n.t('Add A2A Agent');
  const check = (it: string) => addressProblem(it, 'https://example.com/a2a');
  const address = await askText(title, l10n.t('The address of the agent or its card'), { check });
  if (address === undefined) return;
  await attempt(l10n.t('The agent was not added.'), async () => {
    const card = await fetchCard(address);
    const name = await askText(title, l10n.t('Name'), {
      value: card.name.replaceAll(/[^A-Za-z0-9 _.-]+/g, ' ').trim(),
      check: (it) =>
        /^[A-Za-z0-9][A-Za-z0-9 _.-]*$/.test(it)
          ? undefined
          : l10n.t('Use only letters, digits, spaces, "-", "_", and ".".'),
    });
    if (name === undefined) return;
    const url = await askText(title, l10n.t("What is the agent's address?"), {
      value: endpointOf(card, address),
      check,
    });
    if (url === undefined) return;
    const key = await askText(title, l10n.t('Agent API key (optional)'), {
      isSecret: true,
      isOptional: true,
    });
    if (key === undefined) return;
    const gateway_params = {
      ...(key !== '' && { api_key: key }),
      ...(isPrivateAddress(url) && { allow_private_network: true }),
    };
    const agent_card_params = { ...card, url };
    await actions.routes.addAgent({ agent_name: name, agent_card_params, gateway_params });
    await actions.model.refresh();
    void vscode.window.showInformationMessage(l10n.t('{0} was added.', name));
  });
}

/** As the address says, or at the places where cards are looked for. */
async function fetchCard(address: string): Promise<Card> {
  const { l10n } = vscode;
  const bare = address.replace(/\/+$/, '');
  const places = /\.json$/.test(bare)
    ? [bare]
    : [`${bare}/.well-known/agent-card.json`, `${bare}/.well-known/agent.json`, bare];
  let why = '';
  for (const it of places) {
    try {
      const response = await fetch(it, {
        headers: { accept: 'application/json' },
        signal: AbortSignal.timeout(FETCH_MS),
      });
      if (response.ok) {
        const card = Card.safeParse(await response.json());
        if (card.success) return card.data;
        why = l10n.t('the response is not an agent card');
      } else why = l10n.t('it returned HTTP {0}. Check the address', response.status);
    } catch (thrown) {
      why = whyUnreachable(l10n, thrown);
    }
  }
  throw new Error(l10n.t('No agent card found at {0}: {1}.', address, why));
}

export async function removeAgent(actions: GatewayActions, argument: unknown): Promise<void> {
  const { l10n } = vscode;
  await attempt(l10n.t('The agent was not removed.'), async () => {
    const { agents } = await pictureOf(actions);
    const target = targetOf(argument, 'agent');
    const toItem = (it: (typeof agents)[number]) => ({ label: it.agent_name });
    const agent =
      agents.find((it) => it.agent_id === target) ??
      (await choose(agents, l10n.t('Remove A2A Agent'), l10n.t('Which agent?'), toItem, l10n.t('No agents yet.')));
    if (!agent || !(await mayRemove(agent.agent_name))) return;
    await actions.routes.removeAgent(agent.agent_id);
    await actions.model.refresh();
  });
}
