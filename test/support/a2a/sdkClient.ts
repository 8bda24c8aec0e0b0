import { SendMessageRequest } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';

/** The virtual key of these tests: no agent may ever see it. */
export const virtualKey = 'sk-canary-virtual-key-0001';

const identity = {
  'x-gateway-api-key': `Bearer ${virtualKey}`,
  'x-gateway-end-user-id': 'canary-user',
  'x-gateway-trace-id': 'trace-1',
};

/** What every call of a client adds: the key and who it is for. */
export const asCaller: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(identity)) headers.set(name, value);
  return fetch(input, { ...init, headers });
};

/** A client of the official SDK that learns everything from the card at the gateway; it speaks the card's style. */
export const connectSdkClient = (base: string, agent = 'weather', binding: SdkBinding = 'JSONRPC'): Promise<Client> =>
  connectSdkClientTo(`${base}/a2a/${agent}/`, binding);

export type SdkBinding = 'JSONRPC' | 'HTTP+JSON';

/** The same for any agent. @param url where its card is below */
export function connectSdkClientTo(url: string, binding: SdkBinding): Promise<Client> {
  const legacyCompat = { enabled: true };
  const options = { fetchImpl: asCaller, legacyCompat };
  const factory = new ClientFactory({
    transports: [binding === 'JSONRPC' ? new JsonRpcTransportFactory(options) : new RestTransportFactory(options)],
    cardResolver: new DefaultAgentCardResolver(options),
  });
  return factory.createFromUrl(url, '.well-known/agent-card.json');
}

let count = 0;
export function saying(text: string, configuration: Record<string, unknown> = {}): SendMessageRequest {
  count += 1;
  return SendMessageRequest.fromJSON({
    message: { messageId: `m${count}`, role: 'ROLE_USER', parts: [{ text }] },
    configuration,
  });
}
