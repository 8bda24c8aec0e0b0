import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { A2aAgent, A2aOptions } from '../../../sidecar/gateway/a2a/deps.ts';
import type { AgentRegistration } from '../../../sidecar/gateway/backends/a2a/mode.ts';
import type { InboundHeaders } from '../../../sidecar/gateway/backends/headers.ts';
import { keyGuard } from '../../../sidecar/gateway/backends/keyGuard.ts';
import { openBackends } from '../backends/backendsUnderTest.ts';
import { listen } from '../backends/listen.ts';
import { answerOf, type FrontUnderTest, frontUnderTest } from './frontUnderTest.ts';

export interface A2aGateway extends FrontUnderTest {
  readonly base: string;
  close(): Promise<void>;
}

export interface RegisteredHere {
  readonly agent: A2aAgent & AgentRegistration;
  readonly url: string;
}

/** The A2A front on a loopback port, with the ways out that the gateway has. */
export async function startA2aGateway(
  registered: readonly RegisteredHere[],
  options?: Partial<A2aOptions>,
): Promise<A2aGateway> {
  const { backends } = openBackends();
  backends.setRegistered(
    [],
    registered.map((it) => it.agent),
  );
  const found = frontUnderTest({
    agents: registered,
    outbound(agent, { headers, signal, caller }, added) {
      const key = caller.key?.token;
      const inbound: InboundHeaders = { headers, holdsKey: keyGuard(key === undefined ? [] : [key]) };
      const secrets = { api_key: 'agents-own-key' };
      return backends.forAgent(agent as RegisteredHere['agent'], secrets, { inbound, user: 'user', signal, added });
    },
    ...(options && { options }),
  });
  let base = '';
  const listener = getRequestListener((request) => answerOf(found.front, request, base));
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  const listening = await listen(server);
  base = listening.url;
  return {
    ...found,
    base,
    async close() {
      await listening.close();
      await backends.close();
    },
  };
}

/** A registration that may lead to loopback. */
export const registration = (more: A2aAgent['gateway_params'] & AgentRegistration['gateway_params'] = {}) => ({
  agent_id: 'agent-1',
  agent_name: 'weather',
  gateway_params: { allow_private_network: true, ...more },
});
