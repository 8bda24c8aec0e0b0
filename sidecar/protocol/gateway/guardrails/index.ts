import { argumentSchema } from './argumentSchema.ts';
import { httpService } from './httpService.ts';
import { jwtSigner } from './jwtSigner.ts';
import { piiRedaction } from './piiRedaction.ts';
import { secretRedaction } from './secretRedaction.ts';
import { toolDefinitionPin } from './toolDefinitionPin.ts';

/**
 * The kinds of guardrails. The schema and the language of the configuration follow from them. What one does to a call stands
 * under the same name in `sidecar/gateway/guardrails/build.ts`, and the compiler asks for it.
 */
export const guardrailDefinitions = [
  jwtSigner,
  secretRedaction,
  piiRedaction,
  toolDefinitionPin,
  argumentSchema,
  httpService,
] as const;

export type GuardrailKind = (typeof guardrailDefinitions)[number]['guardrail'];
