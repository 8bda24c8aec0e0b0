import type { AgentProvider, TurnEvent, TurnHost, TurnRequest } from '../../../sidecar/agents/provider.ts';
import { scriptedProvider } from '../scriptedProvider.ts';

/** Every member of the specification's table, and one that is not in it. */
export const vault = {
  resource: 'https://vault.test/api',
  resource_name: 'The vault',
  authorization_servers: ['https://login.test', 'https://login.test/other'],
  jwks_uri: 'https://vault.test/jwks',
  scopes_supported: ['read', 'write'],
  bearer_methods_supported: ['header'],
  resource_signing_alg_values_supported: ['ES256'],
  resource_encryption_alg_values_supported: ['RSA-OAEP'],
  resource_encryption_enc_values_supported: ['A256GCM'],
  resource_documentation: 'https://vault.test/docs',
  resource_policy_uri: 'https://vault.test/policy',
  resource_tos_uri: 'https://vault.test/terms',
  dpop_bound_access_tokens_required: false,
} as const;
export const extra = { resource: 'https://extra.test', required: false } as const;

export interface ProtectedAgent {
  readonly provider: AgentProvider;
  /** How often it was opened. */
  opened: number;
  /** The tokens that it worked with, in order; `undefined` where it had none. */
  readonly used: (string | undefined)[];
  /** Tokens that the vault takes no more. */
  readonly spent: Set<string>;
}

/** An agent that cannot work without the vault. It reads its token when it opens, or on every use (`reads: 'late'`). */
export function protectedAgent(
  protectedResources: AgentProvider['protectedResources'] = [vault, extra],
  reads: 'early' | 'late' = 'late',
): ProtectedAgent {
  const own: ProtectedAgent = { provider: scriptedProvider(play), opened: 0, used: [], spent: new Set() };
  let read: () => string | undefined = () => undefined;
  async function* play(_: TurnRequest, host: TurnHost): AsyncIterable<TurnEvent> {
    let token = read();
    while (token !== undefined && own.spent.has(token)) token = await host.token(vault.resource, token);
    own.used.push(token);
    yield { kind: 'text', partId: 'a', text: 'done' };
  }
  const provider: AgentProvider = {
    ...own.provider,
    ...(protectedResources && { protectedResources }),
    async open(context, signal) {
      own.opened += 1;
      const resource = protectedResources?.[0]?.resource ?? vault.resource;
      const early = reads === 'early' ? context.token(resource) : undefined;
      read = () => (reads === 'early' ? early : context.token(resource));
      return scriptedProvider(play).open(context, signal);
    },
  };
  return Object.assign(own, { provider });
}
