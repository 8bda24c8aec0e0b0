import type { EmbeddedGateway } from '../launch/gateway/gatewayContract.ts';
import type { SessionModels } from '../agents/models.ts';
import { Fault } from '../platform/faults.ts';
import type { SessionTools } from './context/effectDeps.ts';

export interface GatewayToolsDeps {
  readonly gateway: Pick<EmbeddedGateway, 'sessionTools' | 'sessionModels' | 'sessionEnded'> | undefined;
  /** No log, no error and no transcript shows this from now on. */
  readonly hide: (secret: string) => void;
  readonly report: (thrown: unknown) => void;
}

/** The gateway's tools, for sessions: with a key of the session's own, so that its calls can be distinguished. */
export function gatewayTools({ gateway, hide, report }: GatewayToolsDeps): SessionTools {
  return {
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
    async models(session): Promise<SessionModels | undefined> {
      try {
        const models = await gateway?.sessionModels(session);
        if (models) hide(models.key);
        return models;
      } catch (thrown) {
        // Its own keys instead would be another way than the one that was chosen.
        throw new Fault(
          'unavailable',
          'The gateway did not say which models this session may use. Try again, or choose "own" for the agent in the switchboard.agentModels setting.',
          { cause: thrown },
        );
      }
    },
    async close(session) {
      await gateway?.sessionEnded(session).catch(report);
    },
  };
}
