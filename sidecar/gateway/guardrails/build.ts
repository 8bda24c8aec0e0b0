import type { Guardrail } from '../../protocol/gateway/guardrail.ts';
import type { GuardedCall, Rule } from './call.ts';
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
}

/** The one table from configuration to guardrails at work. */
export function build({ guardrail_name: name, gateway_params: params }: Guardrail, parts: Parts): Rule {
  switch (params.guardrail) {
    case 'mcp_jwt_signer':
      return jwtSignerRule(name, params, parts.signer);
    case 'secret_redaction':
    case 'pii_redaction':
      return redactionRule(name, params);
    case 'tool_definition_pin':
      return toolPinRule(name, params, parts.pins, parts.look);
    case 'argument_schema':
      return argumentSchemaRule(name, params, parts.checks);
  }
}
