import * as z from 'zod';

/** `POST /guardrails/try`. */
export const GuardrailTryAnswer = z.object({
  guardrails: z.array(
    z.object({
      guardrail_name: z.string(),
      mode: z.string(),
      outcome: z.enum(['allow', 'block', 'replace', 'add_headers', 'failed', 'not_tried']),
      message: z.string().nullish(),
      arguments: z.record(z.string(), z.unknown()).nullish(),
      result: z.record(z.string(), z.unknown()).nullish(),
      headers: z.array(z.string()).nullish(),
    }),
  ),
});
export type GuardrailTryAnswer = z.infer<typeof GuardrailTryAnswer>;

/** `GET /guardrails/list`: no parameter that could hold a secret. */
export const GuardrailAnswer = z.object({
  guardrail_name: z.string(),
  mode: z.union([z.string(), z.array(z.string())]).nullish(),
  default_on: z.boolean().nullish(),
  description: z.string().nullish(),
  /** From the configuration file: the API leaves it alone. */
  from_config: z.boolean().nullish(),
  /** For administrators and viewers. */
  gateway_params: z.looseObject({ guardrail: z.string() }).nullish(),
});
export type GuardrailAnswer = z.infer<typeof GuardrailAnswer>;
export const GuardrailListAnswer = z.object({ guardrails: z.array(GuardrailAnswer) });
