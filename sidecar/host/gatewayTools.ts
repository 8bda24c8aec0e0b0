import type { SessionModels } from '../agents/models.ts';
import type { EmbeddedGateway } from '../launch/gateway/gatewayContract.ts';
import { Fault } from '../platform/faults.ts';
import type { SessionCall, SessionTools } from './context/effectDeps.ts';
import type { Store } from './state/store.ts';

export interface GatewayToolsDeps {
  readonly gateway:
    | Pick<EmbeddedGateway, 'sessionTools' | 'sessionModels' | 'sessionAgents' | 'sessionEnded' | 'onCall'>
    | undefined;
  /** No log, no error and no transcript shows this from now on. */
  readonly hide: (secret: string) => void;
  readonly report: (thrown: unknown) => void;
  readonly store: Pick<Store, 'has'>;
}

/** The gateway's tools, for sessions: with a key of the session's own, so that its calls can be distinguished. */
export function gatewayTools({ gateway, hide, report, store }: GatewayToolsDeps): SessionTools {
  /** Calls that no listener has taken, by chat. */
  const waiting = new Map<string, { readonly session: string; readonly calls: SessionCall[] }>();
  const takers = new Map<string, (call: SessionCall) => boolean>();
  let isListening = false;
  /** Listens to the gateway only once somebody needs its records. */
  function listen(): void {
    if (isListening) return;
    isListening = true;
    gateway?.onCall(({ session, chat, ...call }) => {
      let isTaken = false;
      try {
        isTaken = takers.get(chat)?.(call) === true;
      } catch (thrown) {
        report(thrown); // the model's response continues
      }
      // A call without tokens, such as a refused one, adds nothing to a turn.
      const isEmpty = call.inputTokens + call.outputTokens + call.cost === 0;
      if (isTaken || isEmpty || !store.has(session)) return;
      const known = waiting.get(chat) ?? { session, calls: [] };
      known.calls.push(call);
      waiting.set(chat, known);
    });
  }
  return {
    onCall(chat, take) {
      listen();
      takers.set(chat, take);
      const known = waiting.get(chat);
      const left = known?.calls.filter((it) => !take(it)) ?? [];
      if (known && left.length > 0) waiting.set(chat, { ...known, calls: left });
      else waiting.delete(chat);
      return () => {
        if (takers.get(chat) === take) takers.delete(chat);
      };
    },
    async open(session) {
      try {
        const tools = await gateway?.sessionTools(session);
        if (!tools) return [];
        hide(tools.key);
        const headers = { 'x-gateway-api-key': `Bearer ${tools.key}`, 'x-gateway-session-id': session };
        return [{ name: 'switchboard', url: tools.url, headers }];
      } catch (thrown) {
        report(thrown); // an agent without these tools is of more use than none
        return [];
      }
    },
    async models(session, chat): Promise<SessionModels | undefined> {
      listen();
      try {
        const models = await gateway?.sessionModels(session, chat);
        if (models) hide(models.key);
        return models;
      } catch (thrown) {
        // Falling back to the agent's own keys could go against the person's choice.
        throw new Fault(
          'unavailable',
          'The gateway did not say which models this session may use. Try again, or choose "own" for the agent in the switchboard.agentModels setting.',
          { cause: thrown },
        );
      }
    },
    async agents(session, chat, service) {
      listen();
      try {
        const access = await gateway?.sessionAgents(session, chat, service);
        if (access) hide(access.key);
        return access && { ...access, session };
      } catch (thrown) {
        throw new Fault('unavailable', 'The gateway did not create a key for this session. Try again.', {
          cause: thrown,
        });
      }
    },
    async close(session) {
      for (const [chat, it] of waiting) if (it.session === session) waiting.delete(chat);
      await gateway?.sessionEnded(session).catch(report);
    },
  };
}
