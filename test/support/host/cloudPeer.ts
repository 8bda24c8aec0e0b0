import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatAction } from '../../../sidecar/protocol/channels/chat/actions.ts';
import type { ChatState, InputRequestPart } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { RootState } from '../../../sidecar/protocol/channels/root/schema.ts';
import { ROOT } from '../../../sidecar/protocol/uris.ts';
import { cloudCredential } from '../backends/cloudService.ts';
import type { HostPeer } from './hostPeer.ts';

export const cloudProviderId = 'cloud-agents';

/** What a window sends to start the gateway. */
export const newGatewaySecrets = () => ({
  secret: randomBytes(32).toString('base64'),
  adminKey: `sk-${randomBytes(32).toString('base64url')}`,
});

/** What configures the service in the data directory of a gateway, where it writes the credential. */
export function cloudConfig(folder: string, upstreamUrl: string): object {
  writeFileSync(join(folder, 'cloud.key'), cloudCredential, { mode: 0o600 });
  return { cloud_agents: { upstream_url: upstreamUrl, prefix: 'acme', credential: { file: 'cloud.key' } } };
}
export const configureCloud = (folder: string, upstreamUrl: string): void =>
  writeFileSync(join(folder, 'switchboard.jsonc'), JSON.stringify(cloudConfig(folder, upstreamUrl)));

/** Waits for a question in the running turn. */
export async function questionIn(peer: HostPeer, chat: string): Promise<InputRequestPart['request']> {
  const open = () =>
    (peer.chat(chat).activeTurn?.responseParts ?? []).find(
      (it): it is InputRequestPart => it.kind === 'inputRequest' && !it.response,
    );
  await peer.until(() => open() !== undefined, 'the agent asks');
  return open()!.request;
}

export const actIn = (peer: HostPeer, chat: string, action: ChatAction) => peer.act(chat, action);

type Value = { readonly kind: 'text'; readonly value: string } | { readonly kind: 'boolean'; readonly value: boolean };

/** Answers the question that is open. */
export async function answerIn(peer: HostPeer, chat: string, values: Readonly<Record<string, Value>>): Promise<void> {
  const request = await questionIn(peer, chat);
  const answers = Object.fromEntries(
    Object.entries(values).map(([id, value]) => [id, { state: 'submitted' as const, value }]),
  );
  await actIn(peer, chat, { type: 'chat/inputCompleted', requestId: request.id, response: 'accept', answers });
}

export const repositoryAnswer = {
  repository: { kind: 'text', value: 'https://git.example/owner/name' },
  ref: { kind: 'text', value: 'main' },
  pullRequest: { kind: 'boolean', value: true },
} as const;

/** Sends the first message of a session, and says where the agent works. @returns the turn */
export async function launchIn(peer: HostPeer, chat: string, prompt: string): Promise<string> {
  const turnId = await peer.prompt(chat, prompt);
  await answerIn(peer, chat, repositoryAnswer);
  return turnId;
}

export async function untilCloudListed(peer: HostPeer): Promise<void> {
  const listed = () => (peer.states.get(ROOT) as RootState).agents.some((it) => it.provider === cloudProviderId);
  await peer.until(listed, 'the cloud agents are listed');
}

type Turn = ChatState['turns'][number];
export const textOf = (turn: Turn): string =>
  turn.responseParts.map((it) => (it.kind === 'markdown' ? it.content : '')).join('');
export const noticesOf = (turn: Turn): string =>
  turn.responseParts.map((it) => (it.kind === 'systemNotification' ? JSON.stringify(it.content) : '')).join('');

export function assertComplete(turn: Turn): void {
  assert.equal(turn.state, 'complete', JSON.stringify(turn));
}
