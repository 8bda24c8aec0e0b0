import * as z from 'zod';
import { GatewayConfig } from '../../protocol/gateway/config.ts';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The JSON schema of `switchboard.jsonc`, as it is published: what has a default may be left out. */
export function configJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(GatewayConfig, { io: 'input', target: 'draft-7' });
  return { ...schema, title: 'Switchboard gateway', allowComments: true, allowTrailingCommas: true };
}
