import type { SessionOptions } from '../../agents/provider.ts';
import type { SessionModelInfo } from '../../protocol/channels/root/schema.ts';
import type {
  ConfigValues,
  SessionConfigPropertySchema,
  SessionConfigSchema,
  SessionConfigState,
} from '../../protocol/configSchemas.ts';

const AGENT_DECIDES = 'Agent decides: ';

/** What an agent offers, as the session's config: a choice each, changeable while the session lives. */
export function toConfig(options: SessionOptions, chosen: ConfigValues): SessionConfigState {
  const properties: Record<string, SessionConfigPropertySchema> = {};
  const values: ConfigValues = {};
  for (const it of options.properties) {
    properties[it.id] = {
      type: 'string',
      title: it.title,
      ...(it.description !== undefined && { description: it.description }),
      default: it.value,
      enum: it.values.map((value) => value.id),
      enumLabels: it.values.map((value) => value.label),
      enumDescriptions: it.values.map(
        (value) => `${value.agentDecides ? AGENT_DECIDES : ''}${value.description ?? ''}`,
      ),
      sessionMutable: true,
    };
    const own = chosen[it.id];
    values[it.id] = it.values.some((value) => value.id === own) ? own : it.value;
  }
  return { schema: { type: 'object', properties }, values };
}

export function toModels(provider: string, options: SessionOptions): SessionModelInfo[] {
  return options.models.map(({ id, name }) => ({ id, provider, name }));
}

/** Why `config` cannot be applied, or `undefined`. */
export function refuseConfig(schema: SessionConfigSchema, config: ConfigValues): string | undefined {
  for (const [key, value] of Object.entries(config)) {
    const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (!property) return `config.${key}: there is no such setting`;
    if (property.readOnly || !property.sessionMutable) return `config.${key}: cannot be changed now`;
    if (typeof value !== property.type) return `config.${key}: must be a ${property.type}`;
    if (property.enum && !property.enum.some((it) => it === value)) return `config.${key}: is none of the choices`;
  }
  return undefined;
}
