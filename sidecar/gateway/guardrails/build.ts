import type { Guardrail, GuardrailParams } from '../../protocol/gateway/guardrail.ts';
import type { GuardrailKind } from '../../protocol/gateway/guardrails/index.ts';
import type { GuardedCall, Rule } from './call.ts';
import { httpRule } from './http/httpRule.ts';
import type { ServiceDeps } from './http/service.ts';
import type { Pins } from './pins/pins.ts';
import { toolPinRule } from './pins/toolPinRule.ts';
import { redactionRule } from './redaction/redactionRule.ts';
import { argumentSchemaRule } from './schemas/argumentSchemaRule.ts';
import type { ArgumentChecks } from './schemas/checkArguments.ts';
import { jwtSignerRule, type SignerDeps } from './signer/jwtSignerRule.ts';

/** What guardrails share. */
export interface Parts {
  readonly signer: SignerDeps;
  readonly pins: Pins;
  /** Looks at all tools of the call's server as they are now. @throws where it cannot be asked */
  readonly look: (call: GuardedCall) => Promise<void>;
  readonly checks: ArgumentChecks;
  readonly service: ServiceDeps;
}

type Builders = { readonly [K in GuardrailKind]: (name: string, params: GuardrailParams<K>, parts: Parts) => Rule };
/** The parameters of one kind, as `build` needs them to find the row that takes them. */
type ParamsOf<K extends GuardrailKind> = { [P in K]: GuardrailParams<P> }[K];

/** What each kind of the protocol does to a call; a kind without a row, and a row without a kind, do not compile. */
const builders: Builders = {
  mcp_jwt_signer: jwtSignerRule,
  secret_redaction: redactionRule,
  pii_redaction: redactionRule,
  tool_definition_pin: toolPinRule,
  argument_schema: argumentSchemaRule,
  http: httpRule,
};

/** A configured guardrail at work. */
export const build = ({ guardrail_name, gateway_params }: Guardrail, parts: Parts): Rule =>
  ruleOf(guardrail_name, gateway_params, parts);

function ruleOf<K extends GuardrailKind>(name: string, params: ParamsOf<K>, parts: Parts): Rule {
  return builders[params.guardrail](name, params, parts);
}
