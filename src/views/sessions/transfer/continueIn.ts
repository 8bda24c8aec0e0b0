import * as vscode from 'vscode';
import type { ChangesetState } from '../../../../sidecar/protocol/channels/changeset/schema.ts';
import type { AgentInfo, RootState } from '../../../../sidecar/protocol/channels/root/schema.ts';
import { type CloudMeta, cloudOf } from '../../../../sidecar/protocol/channels/session/cloudMeta.ts';
import type { SessionSummary } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { newestOf } from '../../../../sidecar/protocol/transcript.ts';
import { parseSessionUri, ROOT, sessionChangesetUri } from '../../../../sidecar/protocol/uris.ts';
import type { Hosts } from '../../../client/hosts.ts';
import type { HostPort } from '../../../client/port.ts';
import type { AddedPart } from '../../../client/texts.ts';
import { whenShown } from '../../../client/whenShown.ts';
import type { SessionsChats } from '../sessionsModule.ts';

export interface ContinueInDeps {
  readonly hosts: Pick<Hosts, 'of'>;
  readonly chats: SessionsChats;
}

/**
 * Asks which other agent continues, and opens a new chat with it: what was said, and for an agent that has no files of this
 * machine what was changed, are attached to a first message that the person sends.
 * @param read the transcript without known secrets; `undefined` if the person stopped it
 */
export async function continueIn(
  { hosts, chats }: ContinueInDeps,
  session: SessionSummary,
  read: () => Thenable<string | undefined>,
): Promise<void> {
  const { client, id } = hosts.of(session.resource);
  const agent = await chooseAgent(client, session);
  if (!agent) return;
  const transcript = await read();
  if (transcript === undefined) return;
  const patch = agent.capabilities?.remote ? await patchOf(client, session.resource) : undefined;
  const parts: AddedPart[] = [
    { label: vscode.l10n.t('Transcript'), text: newestOf(transcript), displayKind: 'transcript' },
    ...(patch === undefined ? [] : [{ label: 'changes.patch', text: patch, displayKind: 'document' as const }]),
  ];
  chats.open(undefined, {
    provider: agent.provider,
    prompt: promptFor(cloudOf(session._meta), patch !== undefined),
    add: { kind: 'parts', parts },
    ...(id !== '' && { host: id }),
  });
}

async function chooseAgent(client: HostPort, session: SessionSummary): Promise<AgentInfo | undefined> {
  const { agents } = await whenShown<RootState>(client, ROOT);
  const items = agents
    .filter((it) => it.provider !== session.provider)
    .map((agent) => ({ label: agent.displayName, detail: agent.description, agent }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('There is no other agent. To add one, use the command "Add Agent…".'),
    );
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Continue In…'),
    placeHolder: vscode.l10n.t('Select the agent that continues "{0}"', session.title),
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  return picked?.agent;
}

/** What the session changed and a person has not undone, as Git takes it; `undefined`: nothing. */
async function patchOf(client: HostPort, session: string): Promise<string | undefined> {
  const channel = sessionChangesetUri(parseSessionUri(session) ?? '');
  const { changesets } = await whenShown<{ changesets?: readonly { uriTemplate: string }[] }>(client, session);
  if (!changesets?.some((it) => it.uriTemplate === channel)) return undefined;
  const { files } = await whenShown<ChangesetState>(client, channel);
  if (files.length === 0) return undefined;
  const { followUp } = await client.request('invokeChangesetOperation', { channel, operationId: 'patch' });
  if (!followUp) return undefined;
  const { data } = await client.request('resourceRead', { uri: followUp.content.uri, encoding: 'utf-8' });
  return data;
}

function promptFor(cloud: CloudMeta | undefined, isPatched: boolean): string {
  if (isPatched) return vscode.l10n.t('Continue the work in the attached transcript. Apply the attached patch first.');
  return cloud?.branch === undefined
    ? vscode.l10n.t('Continue the work in the attached transcript.')
    : vscode.l10n.t('Continue the work in the attached transcript. Its changes are on the branch {0}.', cloud.branch);
}
