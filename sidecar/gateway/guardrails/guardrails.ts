import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/logger.ts';
import type { Guardrail } from '../../protocol/gateway/guardrail.ts';
import { build } from './build.ts';
import type { GuardedCall, GuardedTarget, Rule, ToolDefinition } from './call.ts';
import type { ServiceDeps } from './http/service.ts';
import { Pins } from './pins/pins.ts';
import type { Drift, PinStore } from './pins/toolPin.ts';
import { strictest } from './pins/toolPinRule.ts';
import { openRun, type Run } from './run.ts';
import { ArgumentChecks } from './schemas/checkArguments.ts';
import { ToolSchemas } from './schemas/toolSchemas.ts';
import { select } from './select.ts';
import { type FetchJwks, IncomingTokens } from './signer/incoming.ts';
import { configuredKeyring, type Jwks, type Keyring } from './signer/keyring.ts';
import { type KeyStore, storedKeyring } from './signer/storedKeyring.ts';
import type { Tried } from './tryOut.ts';

export interface GuardrailsDeps {
  /** What is configured now, in order. Asked on each call: hand in the same objects until something changes. */
  guardrails(): readonly Guardrail[];
  readonly keyStore: KeyStore;
  /** The operator's signing keys, PKCS #8 PEM, the signing one first. Then `keyStore` is not used. */
  readonly signingKeys?: readonly string[];
  /** Default `iss` of assertions: the gateway's public URL, which may be known only once it listens. */
  readonly issuer: () => string;
  readonly fetchJwks: FetchJwks;
  readonly pinStore: PinStore;
  /** For the audit: a tool is held because it is not what was approved. Once for each new definition. */
  onDrift(drift: Drift): void | Promise<void>;
  /** All tools of the call's server, as it lists them to this caller. @throws where it cannot be asked */
  listTools(call: GuardedCall): Promise<readonly ToolDefinition[]>;
  /** How services are asked about calls. */
  readonly service: Pick<ServiceDeps, 'post' | 'secretOf'>;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Guardrails extends Run {
  /** With every list, or page of one, that a server gave: the tools that may be shown, in order. */
  toolsListed(target: GuardedTarget, tools: readonly ToolDefinition[]): Promise<readonly ToolDefinition[]>;
  /** What guardrails would do to a call; nothing is called and nothing recorded. @param names default: all of them */
  tryOut(
    call: GuardedCall,
    result: Readonly<Record<string, unknown>> | undefined,
    names?: readonly string[],
  ): Promise<readonly Tried[]>;
  /** For `/.well-known/jwks.json`. Empty, for a minute, where nothing signs. */
  jwks(): Promise<Jwks>;
  readonly rotateKeys: Keyring['rotate'];
  readonly pins: Pick<Pins, 'held' | 'approve' | 'unpin' | 'changed'>;
}

/** Builds what is configured, each guardrail once. */
export function openGuardrails(deps: GuardrailsDeps): Guardrails {
  const { clock, issuer, newId } = deps;
  const keyring = deps.signingKeys
    ? configuredKeyring(deps.signingKeys)
    : storedKeyring({ store: deps.keyStore, clock, log: deps.log });
  const pins = new Pins({ ...deps, store: deps.pinStore });
  const schemas = new ToolSchemas((call) => deps.listTools(call), clock);
  const toolsListed: Guardrails['toolsListed'] = async (target, tools) => {
    const selected = select(deps.guardrails(), target);
    if ('refusal' in selected) return [];
    if (deps.guardrails().some((it) => it.gateway_params.guardrail === 'argument_schema'))
      schemas.remember(target.server.server_id, tools);
    const pinning = selected.guardrails.map((it) => it.gateway_params).filter((it) => it.guardrail === pin);
    return pinning.length === 0 ? tools : pins.listed(target.server.server_id, tools, strictest(pinning));
  };
  const parts = {
    signer: { keyring, incoming: new IncomingTokens(deps.fetchJwks, clock), issuer, newId, clock },
    pins,
    look: async (call: GuardedCall) => void (await toolsListed(call, await deps.listTools(call))),
    checks: new ArgumentChecks(schemas, clock),
    service: { ...deps.service, clock, log: deps.log },
  };
  const rules = new WeakMap<Guardrail, Rule>();
  const ruleOf = (guardrail: Guardrail) => {
    const rule = rules.get(guardrail) ?? build(guardrail, parts);
    rules.set(guardrail, rule);
    return rule;
  };
  const run = openRun(deps.guardrails, ruleOf);

  return {
    ...run,

    toolsListed,

    async tryOut(call, result, names) {
      const { tryOut } = await import('./tryOut.ts');
      const chosen = deps.guardrails().filter((it) => !names || names.includes(it.guardrail_name));
      return tryOut(chosen, ruleOf, call, result);
    },

    async jwks() {
      const isSigning = deps.guardrails().some((it) => it.gateway_params.guardrail === 'mcp_jwt_signer');
      return isSigning ? keyring.jwks() : { keys: [], maxAgeSeconds: 60 };
    },

    rotateKeys: (isLost) => keyring.rotate(isLost),
    pins,
  };
}

const pin = 'tool_definition_pin' as const;
