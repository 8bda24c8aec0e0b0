import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { A2aOptions } from '../../../sidecar/gateway/a2a/a2aDeps.ts';
import type { InboundHeaders } from '../../../sidecar/gateway/backends/headers.ts';
import { keyGuard } from '../../../sidecar/gateway/backends/keyGuard.ts';
import { sendStream } from '../../../sidecar/gateway/http/sendStream.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import type { AgentRecord, OpenGatewayParams } from '../../../sidecar/protocol/gateway/agent.ts';
import { openBackends } from '../backends/backendsUnderTest.ts';
import { listen } from '../backends/listen.ts';
import { answerOf, type FrontUnderTest, frontUnderTest } from './frontUnderTest.ts';
import { agent } from './oneAgent.ts';

export interface A2aGateway extends FrontUnderTest {
  readonly base: string;
  close(): Promise<void>;
}

export interface RegisteredHere {
  readonly agent: AgentRecord;
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
    outbound(registered, { headers, signal, caller }, added) {
      const { token } = caller.key;
      const inbound: InboundHeaders = { headers, holdsKey: keyGuard(token === '' ? [] : [token]) };
      const secrets = { api_key: 'agents-own-key' };
      return backends.forAgent(registered, secrets, { inbound, user: 'user', signal, added });
    },
    ...(options && { options }),
  });
  let base = '';
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const left = new AbortController();
    outgoing.once('close', () => left.abort());
    const request = new Request(`${base}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: incoming.headers as Record<string, string>,
      body: incoming.method === 'POST' ? await text(incoming) : null,
      signal: left.signal,
    });
    await sendStream(await answerOf(found.front, request, base), outgoing, systemTimers, (thrown) => {
      throw thrown;
    });
  };
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
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
export const registration = (more: OpenGatewayParams = {}): AgentRecord => ({
  ...agent,
  gateway_params: { allow_private_network: true, ...more },
});
