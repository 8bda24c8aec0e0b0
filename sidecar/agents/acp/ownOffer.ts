import * as z from 'zod';
import type { ModelOption, OptionField, OptionForm, OptionSuggestion } from '../options.ts';

/**
 * What an agent can say to us beyond the Agent Client Protocol, in `_meta.switchboard` of its answer to `session/new`:
 * the schema of a form for the session, and what can be set for single models. README.md describes it for authors of agents.
 */
const Primitive = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Field: z.ZodType<OptionField> = z.lazy(() =>
  z.object({
    type: z.enum(['string', 'number', 'boolean', 'array', 'object']),
    title: z.string(),
    description: z.string().exactOptional(),
    default: z.unknown().exactOptional(),
    enum: z.array(Primitive).exactOptional(),
    enumLabels: z.array(z.string()).exactOptional(),
    enumDescriptions: z.array(z.string()).exactOptional(),
    readOnly: z.boolean().exactOptional(),
    items: Field.exactOptional(),
    properties: z.record(z.string(), Field).exactOptional(),
    required: z.array(z.string()).exactOptional(),
    additionalProperties: Field.exactOptional(),
    enumDynamic: z.boolean().exactOptional(),
    sessionMutable: z.boolean().exactOptional(),
  }),
);
const Form: z.ZodType<OptionForm> = z.object({
  properties: z.record(z.string(), Field),
  required: z.array(z.string()).exactOptional(),
});

export const OwnOffer = z.object({
  config: z.object({ schema: Form, values: z.record(z.string(), z.unknown()) }).optional(),
  models: z
    .record(
      z.string(),
      z.object({
        policyState: z.enum(['enabled', 'disabled', 'unconfigured']).exactOptional(),
        configSchema: Form.exactOptional(),
      }),
    )
    .optional(),
});
export type OwnOffer = z.infer<typeof OwnOffer>;

/** The answer of `_switchboard/config_completions`. */
export const Completed = z.object({
  items: z.array(z.object({ value: z.string(), label: z.string(), description: z.string().exactOptional() })),
}) satisfies z.ZodType<{ items: OptionSuggestion[] }>;

/** The answer of `_switchboard/set_config`. */
export const SetConfig = z.object({ values: z.record(z.string(), z.unknown()) });

/** What the offer says of a model. */
export function ownModel(own: OwnOffer | null | undefined, id: string): Omit<ModelOption, 'id' | 'name'> {
  const { policyState, configSchema } = own?.models?.[id] ?? {};
  return { ...(policyState && { policyState }), ...(configSchema && { form: configSchema }) };
}
