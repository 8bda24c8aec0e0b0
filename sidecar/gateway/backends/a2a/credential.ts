import { Fault } from '../../../platform/faults.ts';
import type { Credential } from '../auth/authenticator.ts';
import { credentialHeader, withoutScheme } from '../auth/staticValue.ts';
import type { AwsCredentialSource } from '../aws/credentials.ts';
import { checkAws, readAwsOptions } from '../aws/options.ts';
import { signRequest } from '../aws/signRequest.ts';
import { type AgentRegistration, type AgentSecrets, agentMode } from './mode.ts';

export interface AgentAuthDeps {
  readonly aws: AwsCredentialSource;
  readonly nowMs: () => number;
  /** The credential registered for a provider (Models + Endpoints, LLM Credentials), in clear text. */
  readonly providerKey: (provider: string) => Promise<string | undefined>;
}

/** Under which header each provider takes its key; all others take a bearer token. */
const providerHeaders: Readonly<Record<string, string>> = {
  anthropic: 'x-api-key',
  azure: 'api-key',
  azure_ai: 'api-key',
  gemini: 'x-goog-api-key',
  langgraph: 'x-api-key',
};

/** Providers whose agents take no credential. */
const openProviders: ReadonlySet<string> = new Set(['pydantic_ai_agents']);

/**
 * What a call to an agent is authenticated with.
 * @throws {Fault} `unavailable` where the provider has no credential; `invalid_params` for fields that cannot be used
 */
export async function agentCredential(
  agent: AgentRegistration,
  secrets: AgentSecrets,
  deps: AgentAuthDeps,
): Promise<Credential> {
  const params = agent.gateway_params ?? {};
  const mode = agentMode(params, secrets);
  if (mode === 'bearer') return ownKey(secrets);
  if (mode === 'sigv4') return sigv4(agent, secrets, deps);
  if (mode === 'provider_native') return native(params.custom_llm_provider?.trim().toLowerCase() ?? '', deps);
  return { headers: {}, resolution: 'no-auth', identity: '' };
}

/** Looks at the credential of a registration that is saved. @throws {Fault} `invalid_params` naming the field */
export function checkAgentCredential({ gateway_params }: AgentRegistration, secrets: AgentSecrets): void {
  const mode = agentMode(gateway_params ?? {}, secrets);
  if (mode === 'bearer') ownKey(secrets);
  if (mode === 'sigv4') checkAws(secrets, 'gateway_params.');
}

const ownKey = ({ api_key }: AgentSecrets) => bearer(api_key ?? '', 'gateway_params.api_key');

function bearer(key: string, field: string): Credential {
  const headers = credentialHeader('authorization', `Bearer ${withoutScheme(key, 'bearer')}`, {}, field);
  return { headers, resolution: 'static-token', identity: '' };
}

async function sigv4(agent: AgentRegistration, secrets: AgentSecrets, deps: AgentAuthDeps): Promise<Credential> {
  checkAws(secrets, 'gateway_params.');
  const options = readAwsOptions(secrets);
  const read = () => deps.aws.credentials(`a2a ${agent.agent_id} ${agent.updated_at ?? ''}`, options);
  await read();
  return {
    headers: {},
    resolution: 'aws-sigv4',
    identity: '',
    sign: async (request) => signRequest(request, { ...options, credentials: await read(), nowMs: deps.nowMs() }),
  };
}

async function native(provider: string, deps: AgentAuthDeps): Promise<Credential> {
  if (openProviders.has(provider)) return { headers: {}, resolution: 'no-auth', identity: '' };
  const key = (await deps.providerKey(provider))?.trim();
  if (!key) {
    throw new Fault('unavailable', `No credential was found for the provider '${provider}'.`, {
      data: { reason: 'no_provider_credential', provider },
    });
  }
  const named = Object.hasOwn(providerHeaders, provider) ? providerHeaders[provider] : undefined;
  const field = `credential of ${provider}`;
  if (named === undefined) return bearer(key, field);
  return { headers: credentialHeader(named, key, {}, field), resolution: 'static-token', identity: '' };
}
