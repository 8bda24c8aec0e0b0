import * as z from 'zod';
import { memberOf } from '../building.ts';
import { type GuardrailKind, guardrailDefinitions } from './guardrails/index.ts';
import { stampShape } from './stamps.ts';

export const GuardrailName = z
  .string()
  .min(1)
  .max(128)
  .describe('Name that keys, teams, and servers use to refer to the guardrail.');

/** One entry of `guardrails` in the configuration. Strict: an unknown field is an error that names it. */
export const Guardrail = z.strictObject({
  guardrail_name: GuardrailName,
  gateway_params: z
    .discriminatedUnion('guardrail', memberOf(guardrailDefinitions, 'params'))
    .describe('What the guardrail does and when it runs.'),
});
export type Guardrail = z.infer<typeof Guardrail>;
export type GuardrailParams<K extends GuardrailKind> = Extract<Guardrail['gateway_params'], { guardrail: K }>;

/** A guardrail that an administrator made. Those with a lower position run first. */
export const GuardrailRecord = z.object({ ...Guardrail.shape, position: z.int(), ...stampShape });
export type GuardrailRecord = z.infer<typeof GuardrailRecord>;

/** All of them, in the order in which they run. Names are unique. */
export const Guardrails = z.array(Guardrail).superRefine((all, context) => {
  const seen = new Set<string>();
  for (const [at, { guardrail_name, gateway_params }] of all.entries()) {
    if (gateway_params.guardrail === 'http' && gateway_params.secret && 'stored' in gateway_params.secret) {
      const path = [at, 'gateway_params', 'secret'];
      context.addIssue({ code: 'custom', path, message: 'must be { "env": "NAME" } or { "file": "path" }' });
    }
    if (seen.has(guardrail_name)) {
      const path = [at, 'guardrail_name'];
      context.addIssue({ code: 'custom', path, message: `'${guardrail_name}' is used twice` });
    }
    seen.add(guardrail_name);
  }
});
