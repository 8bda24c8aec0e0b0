import * as z from 'zod';
import { sameJson } from './collections.ts';
import { JsonPrimitive } from './shared.ts';

const ConfigType = z.enum(['string', 'number', 'boolean', 'array', 'object']);
const base = {
  type: ConfigType,
  title: z.string(),
  description: z.string().exactOptional(),
  default: z.unknown().exactOptional(),
  enum: z.array(JsonPrimitive).exactOptional(),
  /** Parallel to `enum`. */
  enumLabels: z.array(z.string()).exactOptional(),
  /** Parallel to `enum`. */
  enumDescriptions: z.array(z.string()).exactOptional(),
  readOnly: z.boolean().exactOptional(),
  required: z.array(z.string()).exactOptional(),
};

export interface ConfigPropertySchema {
  type: z.infer<typeof ConfigType>;
  title: string;
  description?: string;
  default?: unknown;
  enum?: JsonPrimitive[];
  enumLabels?: string[];
  enumDescriptions?: string[];
  readOnly?: boolean;
  required?: string[];
  /** For `type` `array`. */
  items?: ConfigPropertySchema;
  /** For `type` `object`. */
  properties?: Record<string, ConfigPropertySchema>;
  additionalProperties?: ConfigPropertySchema;
}
const nested = {
  get items() {
    return ConfigPropertySchema.exactOptional();
  },
  get properties() {
    return z.record(z.string(), ConfigPropertySchema).exactOptional();
  },
  get additionalProperties() {
    return ConfigPropertySchema.exactOptional();
  },
};
export const ConfigPropertySchema: z.ZodType<ConfigPropertySchema, ConfigPropertySchema> = z.lazy(() =>
  z.object({ ...base, ...nested }),
);

export const ConfigSchema = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), ConfigPropertySchema),
  required: z.array(z.string()).exactOptional(),
});
export type ConfigSchema = z.infer<typeof ConfigSchema>;

export const SessionConfigPropertySchema: z.ZodType<SessionConfigPropertySchema, SessionConfigPropertySchema> = z.lazy(
  () =>
    z.object({
      ...base,
      ...nested,
      enumDynamic: z.boolean().exactOptional(),
      sessionMutable: z.boolean().exactOptional(),
    }),
);
export interface SessionConfigPropertySchema extends ConfigPropertySchema {
  /** The value set is too large to list: ask with `sessionConfigCompletions`. */
  enumDynamic?: boolean;
  /** The user may change it after the session was created. */
  sessionMutable?: boolean;
}
export const SessionConfigSchema = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), SessionConfigPropertySchema),
  required: z.array(z.string()).exactOptional(),
});
export type SessionConfigSchema = z.infer<typeof SessionConfigSchema>;

/** Property id to value. */
export const ConfigValues = z.record(z.string(), z.unknown());
export type ConfigValues = z.infer<typeof ConfigValues>;
export const SessionConfigState = z.object({ schema: SessionConfigSchema, values: ConfigValues });
export type SessionConfigState = z.infer<typeof SessionConfigState>;
export const RootConfigState = z.object({ schema: ConfigSchema, values: ConfigValues });
export type RootConfigState = z.infer<typeof RootConfigState>;

/** The values after `root/configChanged` or `session/configChanged`; `before` itself when nothing differs. */
export function mergeConfigValues(
  before: ConfigValues,
  config: ConfigValues,
  replace: boolean | undefined,
): ConfigValues {
  const values = replace ? config : { ...before, ...config };
  return sameJson(values, before) ? before : values;
}
