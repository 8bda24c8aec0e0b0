import { Restored } from '../../../sidecar/protocol/channels/chat/restore.ts';
import { needsModel } from '../../../sidecar/protocol/channels/root/builtInAgents.ts';
import type { AgentInfo } from '../../../sidecar/protocol/channels/root/schema.ts';
import { parkedOf } from '../../../sidecar/protocol/channels/session/parked.ts';
import { SessionProblem } from '../../../sidecar/protocol/channels/session/problem.ts';
import { isSandboxed } from '../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import { unaskedRunsOf } from '../../../sidecar/protocol/channels/session/unaskedRuns.ts';
import type { Banner, BannerKind } from '../contract/chatModel.ts';
import type { ChatInput } from './chatModel.ts';

/** That an agent forgot stands in the transcript, with its button, where it forgot. */
const problemKinds: Readonly<Record<Exclude<SessionProblem['kind'], 'forgotEarlierTurns'>, BannerKind>> = {
  signInNeeded: 'signIn',
  agentSilent: 'silent',
  agentMissing: 'commandMissing',
  agentGone: 'agentGone',
  folderGone: 'folderGone',
};

/** What stands between the person and the agent, most pressing first. */
export function toBanners(input: ChatInput, agent: AgentInfo | undefined): Banner[] {
  const { editor, session, chat, root, chosen, isGone } = input;
  const subject = agent?.displayName ?? session?.provider ?? chosen.provider;
  const named = subject === undefined ? {} : { subject };
  if (!editor.isTrusted) return [{ id: 'untrusted', kind: 'untrusted' }];
  if (isGone) return [{ id: 'gone', kind: 'gone' }];
  const banners: Banner[] = [];
  if (root && root.agents.length === 0) banners.push({ id: 'noAgent', kind: 'noAgent' });
  if (agent && needsModel(agent) && chosen.host === undefined)
    banners.push({ id: 'noModel', kind: 'noModel', ...named });
  if (chosen.session === undefined && editor.folders.length === 0) {
    banners.push({ id: 'noFolder', kind: 'noFolder', canDismiss: true });
  }
  if (session?.lifecycle === 'creationFailed') banners.push({ ...creationBanner(session.creationError), ...named });
  const problem = SessionProblem.safeParse(session?._meta?.['problem'] ?? input.meta?.['problem']);
  if (problem.success && problem.data.kind !== 'forgotEarlierTurns' && session?.lifecycle !== 'creationFailed') {
    const { kind, message } = problem.data;
    const id = `${kind}/${chosen.session}`;
    banners.push({ id, kind: problemKinds[kind], ...named, ...(message && { detail: message }) });
  }
  const runs = unaskedRunsOf(session?._meta);
  if (runs && session && !isSandboxed(session.config?.values)) {
    const { version, here, all } = runs;
    const name = [subject ?? '', version ?? ''].join(' ').trim();
    banners.push({
      id: `ranUnasked/${chosen.session}`,
      kind: 'ranUnasked',
      subject: name,
      unasked: { here, all },
      canDismiss: true,
    });
  }
  const parked = chat && parkedOf(session?._meta, chat.resource);
  if (parked && !chat.activeTurn)
    banners.push({ id: `parked/${parked.message}`, kind: 'parked', until: parked.until, ...named });
  const restored = chat && Restored.safeParse(session?._meta?.['restored']).data?.[chat.resource];
  if (restored && !chat.activeTurn && restored.after === chat.turns.at(-1)?.id) {
    const { turns, files } = restored;
    const id = `restored/${chat.resource}/${turns}/${files}`;
    banners.push({ id, kind: 'restored', restored: { turns, files }, canDismiss: true });
  }
  // A turn that failed for the same reason says so itself, with the same button.
  const shown = chat?.activeTurn ? undefined : chat?.turns.at(-1)?.error?.message;
  return banners.filter((it) => shown === undefined || it.detail !== shown);
}

export function problemKindOf(meta: Readonly<Record<string, unknown>> | undefined): SessionProblem['kind'] | undefined {
  return SessionProblem.safeParse(meta?.['problem']).data?.kind;
}

/** @param error what the host said; its type decides which button helps */
export function creationBanner(error: { readonly errorType: string; readonly message: string } | undefined): Banner {
  const kinds: Readonly<Record<string, BannerKind>> = {
    commandMissing: 'commandMissing',
    authRequired: 'signIn',
    folderGone: 'folderGone',
    folderNeeded: 'noFolder',
  };
  return {
    id: 'creationFailed',
    kind: kinds[error?.errorType ?? ''] ?? 'creationFailed',
    ...(error?.message && { detail: error.message }),
  };
}
