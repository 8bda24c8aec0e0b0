import * as z from 'zod';
import { UserAnswer } from '../answers.ts';

/** `GET /gateway/info`. */
export const GatewayInfoAnswer = z.object({
  version: z.string(),
  sees_all: z.boolean().describe('The caller sees the data of everybody'),
  default_access: z.enum(['none', 'all']).describe('What a key without permissions may use'),
  tool_separator: z.string().describe('Between the name of a server and that of a tool'),
  tool_search_above: z.int().nullable().describe('Lists with more tools are replaced by tool search; null: none are'),
  content_days: z
    .int()
    .nullable()
    .describe('Days that requests and responses of calls are stored. null: they are not stored'),
  registry: z.boolean().describe('/v1/mcp/registry.json is answered'),
});
export type GatewayInfoAnswer = z.infer<typeof GatewayInfoAnswer>;

/** `GET /user/info`. */
export const UserInfoAnswer = z.object({ user_info: UserAnswer.nullable() });
