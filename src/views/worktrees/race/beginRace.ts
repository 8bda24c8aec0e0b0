import { AGENT_DECIDES, PERMISSION_DIAL } from '../../../../sidecar/protocol/channels/session/permissionDial.ts';
import { SANDBOX } from '../../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import type { SessionAction, SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { sessionUri } from '../../../../sidecar/protocol/uris.ts';
import type { HostPort } from '../../../client/port.ts';
import { whenShown } from '../../../client/whenShown.ts';
import { now } from '../../../platform/clock.ts';

type Port = Pick<HostPort, 'request' | 'dispatch' | 'open'>;

/** One session of the race that is to start. */
export interface Entry {
  readonly provider: string;
  readonly model?: string;
  /** For people. */
  readonly name: string;
}

export interface Wanted {
  readonly folder: string;
  readonly prompt: string;
  readonly entries: readonly Entry[];
  readonly check: string;
  /** US dollars for each session; absent: what the settings say. */
  readonly dollars?: number;
}

/**
 * Starts a session in a worktree of its own for each entry, and sends them the prompt.
 * @param inSandbox whether each also gets a sandbox of its own. Agents then decide for themselves where they can. Otherwise, the
 *   setting decides whether there is a sandbox
 * @returns the URIs of the sessions
 * @throws the host's error if one of them cannot be created. None is left then
 */
export async function beginRace(port: Port, wanted: Wanted, inSandbox: boolean): Promise<string[]> {
  const made: string[] = [];
  try {
    for (const { provider } of wanted.entries) {
      const session = sessionUri(crypto.randomUUID());
      const own = inSandbox ? { ...(await decidingMode(port, provider, wanted.folder)), [SANDBOX]: 'on' } : {};
      const config = { ...own, worktree: true };
      await port.request('createSession', { channel: session, provider, workingDirectories: [wanted.folder], config });
      made.push(session);
    }
    const check = wanted.check === '' ? {} : { check: wanted.check };
    await port.request('x-switchboard/raceStart', { race: crypto.randomUUID(), sessions: made, ...check });
    const { dollars } = wanted;
    if (dollars !== undefined)
      for (const channel of made) await port.request('x-switchboard/setBudget', { channel, limit: { dollars } });
  } catch (thrown) {
    // A session that is already gone needs no removal. The first failure is reported.
    await Promise.allSettled(made.map((channel) => port.request('disposeSession', { channel })));
    throw thrown;
  }
  for (const [at, session] of made.entries()) await prompt(port, session, wanted.prompt, wanted.entries[at]?.model);
  return made;
}

/** The value of an agent's option with which it decides for itself, where it has one. */
async function decidingMode(port: Port, provider: string, workingDirectory: string): Promise<Record<string, string>> {
  const { schema } = await port.request('resolveSessionConfig', { provider, workingDirectory });
  for (const [id, property] of Object.entries(schema.properties)) {
    const at = property.enumDescriptions?.findIndex((it) => it.startsWith(AGENT_DECIDES)) ?? -1;
    const value = property.enum?.[at];
    if (typeof value === 'string') return { [id]: value };
  }
  return {};
}

async function prompt(port: Port, session: string, text: string, model: string | undefined): Promise<void> {
  const { defaultChat } = await whenShown<SessionState>(port, session);
  const edits: SessionAction = { type: 'session/configChanged', config: { [PERMISSION_DIAL]: 'acceptEdits' } };
  port.dispatch(session, edits);
  const message = { text, origin: { kind: 'user' } as const, ...(model !== undefined && { model: { id: model } }) };
  port.dispatch(defaultChat!, {
    type: 'chat/turnStarted',
    turnId: crypto.randomUUID(),
    startedAt: now(),
    message,
  });
}
