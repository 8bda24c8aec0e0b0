import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentProvider } from '../../../sidecar/agents/provider.ts';
import type { Clock } from '../../../sidecar/platform/clock.ts';
import type { ChangesetState } from '../../../sidecar/protocol/channels/changeset/schema.ts';
import type { InvokeChangesetOperationResult } from '../../../sidecar/protocol/commands.ts';
import type { WindowInfo } from '../../../sidecar/protocol/window.ts';
import { commitAll } from '../changes/repository.ts';
import { scriptedProvider } from '../scriptedProvider.ts';
import type { HostPeer } from './hostPeer.ts';
import { type HostPlace, openHostPlace } from './hostPlace.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

/**
 * A host, a repository with one commit, and a session in it whose agent writes what the prompt says: `name=content`. At `wait`
 * it works until it is stopped.
 */
export interface RepositoryPlace {
  readonly place: HostPlace;
  readonly workspace: Workspace;
  readonly peer: HostPeer;
  readonly session: string;
  readonly chat: string;
  readonly uuid: string;
  git(...args: string[]): string;
  /** Plays a turn and answers its id. */
  turn(prompt: string, chat?: string): Promise<string>;
  state(channel: string): ChangesetState;
  /** Settles when the changeset shows exactly these names, in any order. */
  shows(channel: string, names: readonly string[]): Promise<void>;
  invoke(channel: string, operationId: string, name?: string): Promise<InvokeChangesetOperationResult>;
  close(): Promise<void>;
}

export async function openRepositoryPlace(
  files: Readonly<Record<string, string>>,
  {
    isRepository = true,
    window = {},
    clock,
    agents = [],
  }: {
    isRepository?: boolean;
    window?: Partial<WindowInfo>;
    clock?: Clock;
    /** Besides the one that writes what the prompt says. */
    agents?: readonly AgentProvider[];
  } = {},
): Promise<RepositoryPlace> {
  const workspace = openWorkspace(files);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace.path, encoding: 'utf8' });
  if (isRepository) {
    const config = { 'user.name': 'A', 'user.email': 'a@b.c', 'commit.gpgsign': 'false' };
    commitAll(workspace.path, JSON.stringify(files), config, 'main');
  }
  const agent = scriptedProvider(async function* ({ text }, _host, signal) {
    if (text === 'wait') await new Promise((resolve) => void signal.addEventListener('abort', resolve));
    for (const it of text.split(' ')) {
      const [name = '', content] = it.split('=');
      if (content !== undefined) workspace.write({ [name]: `${content}\n` });
    }
    yield { kind: 'text', partId: 'a', text };
  });
  const place = await openHostPlace([agent, ...agents], { ...(clock && { clock }) });
  const peer = await place.connect('c1', window);
  const made = await peer.newSession({ workingDirectories: [workspace.uri] });
  const state = (channel: string) => peer.states.get(channel) as ChangesetState;
  return {
    place,
    workspace,
    peer,
    ...made,
    uuid: made.session.split('/').at(-1)!,
    git,
    async turn(prompt, chat = made.chat) {
      const id = await peer.prompt(chat, prompt);
      await peer.ended(chat, id);
      return id;
    },
    state,
    shows(channel, names) {
      const wanted = JSON.stringify(names.map((it) => workspace.uriOf(it)).sort());
      return peer.until(() => JSON.stringify((state(channel)?.files ?? []).map((it) => it.id).sort()) === wanted);
    },
    invoke: (channel, operationId, name) =>
      peer.request('invokeChangesetOperation', {
        channel,
        operationId,
        ...(name !== undefined && { target: { kind: 'resource', resource: workspace.uriOf(name) } }),
      }),
    async close() {
      await place.close();
      workspace.remove();
    },
  };
}

/** A program that git runs before a commit. */
export function writeHook({ path }: Workspace, script: string): void {
  writeFileSync(join(path, '.git', 'hooks', 'pre-commit'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
