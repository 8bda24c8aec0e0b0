import { URI } from 'vscode-uri';
import type { WindowInfo } from '../../protocol/window.ts';
import type { AgentRuntime } from '../agents/agentRuntimes.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { TurnHooks } from '../hooks/turnHooks.ts';
import type { TurnWriter } from '../tools/turnWriter.ts';

/**
 * The hooks that a session's folders have for a turn, as they are on disk when it begins; what runs them is loaded then.
 * None where the window does not trust them, where there is no folder, and for agents that run hooks themselves.
 */
export async function openTurnHooks(
  deps: EffectDeps,
  runtime: AgentRuntime,
  writer: TurnWriter,
  window: () => WindowInfo,
  signal: AbortSignal,
): Promise<TurnHooks | undefined> {
  const { session, provider } = runtime;
  const state = deps.store.state('session', session);
  const folders = (state?.workingDirectories ?? []).filter((it) => URI.parse(it).scheme === 'file');
  if (provider.runsHooks || folders.length === 0 || !window().trusted) return undefined;
  const [{ findHooks }, { TurnHooks }, { togglesIn }] = await Promise.all([
    import('../hooks/findHooks.ts'),
    import('../hooks/turnHooks.ts'),
    import('../customizations/toggles.ts'),
  ]);
  const toggles = togglesIn(state?.customizations);
  const found = await findHooks(folders, (id) => toggles.get(id) === false);
  signal.throwIfAborted();
  return new TurnHooks({
    found,
    children: deps.children,
    session,
    env: window().env,
    timers: deps.timers,
    isTrusted: () => window().trusted,
    isDelegated: deps.store.state('chat', runtime.chat)?.origin?.kind === 'tool',
    clock: deps.clock,
    notify: (sentence, kind) => writer.notice(sentence, { kind }),
    notified: runtime.reportedHooks,
    signal,
  });
}
