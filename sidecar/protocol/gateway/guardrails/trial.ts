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
