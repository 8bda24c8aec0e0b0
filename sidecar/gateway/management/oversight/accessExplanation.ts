import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { type Explanation, explain, type Question } from '../../access/accessExplanation.ts';
import type { Catalogue } from '../../access/catalogue.ts';
import { levelsOfKey } from '../keys/levels.ts';
import { findKey } from '../keys/place.ts';
import { badField } from '../read.ts';
import { ok, route } from '../route.ts';

const Asked = z.strictObject({
  /** The key or its hash; absent: the key that asks. */
  key: z.string().min(1).nullish(),
  /** The same. */
  token: z.string().min(1).nullish(),
  /** By id, alias or name. */
  server_id: z.string().min(1).nullish(),
  tool: z.string().min(1).nullish(),
  /** By id or name. */
  agent_id: z.string().min(1).nullish(),
  /** By the name that callers use. */
  model: z.string().min(1).nullish(),
  end_user: z.string().min(1).nullish(),
});

/** Why a key may or may not use something, by the very code that decides it. */
export const explainAccess = route({
  method: 'POST',
  path: '/access/explain',
  who: 'any',
  tag: 'access',
  summary:
    'Explains, level by level, why a key is or is not allowed to use an MCP server, a tool, an A2A agent, or a model',
  isRead: true,
  body: Asked,
  answer: z.object({
    allowed: z.boolean(),
    sentence: z.string(),
    steps: z.array(z.object({ level: z.string(), about: z.string(), effect: z.string(), says: z.string() })),
  }),
  async handle(call, deps) {
    const { body } = call;
    const key = await findKey(call, deps, body.key ?? body.token ?? call.caller.key.token, '/key/info');
    const { catalogue } = await deps.directory.registered();
    const question = questionOf(body, catalogue);
    const answer = explain(await levelsOfKey(deps, key, body.end_user), catalogue, deps.permissions.options, question);
    return ok({ ...answer, sentence: sentence(answer, body) });
  },
});

function questionOf(
  { server_id, tool, agent_id, model }: z.infer<typeof Asked>,
  catalogue: Pick<Catalogue, 'serverIds' | 'agentIds' | 'modelNameFor'>,
): Question {
  if ([server_id, agent_id, model].filter(Boolean).length !== 1)
    throw badField('server_id', "or 'agent_id' or 'model' is required, and only one of them");
  if (model) return { model: only(catalogue.modelNameFor(model) ? [model] : [], 'model') };
  if (agent_id) return { agent_id: only(catalogue.agentIds(agent_id), 'agent_id') };
  const server = only(catalogue.serverIds(server_id!), 'server_id');
  return tool ? { server_id: server, tool } : { server_id: server };
}

function only(ids: readonly string[], field: string): string {
  const [id] = ids;
  if (id === undefined)
    throw new Fault('not_found', `'${field}' does not match a registered server, agent, or model.`, {
      data: { field },
    });
  if (ids.length > 1) throw badField(field, 'matches more than one entry. Use the ID instead');
  return id;
}

function sentence(
  { allowed, steps }: Explanation,
  { server_id, tool, agent_id, model }: z.infer<typeof Asked>,
): string {
  const what = model
    ? `the model '${model}'`
    : agent_id
      ? `the agent '${agent_id}'`
      : tool
        ? `'${tool}' on '${server_id}'`
        : `the server '${server_id}'`;
  const deciding = steps.filter((it) => it.effect === (allowed ? 'allows' : 'forbids')).map((it) => it.says);
  return [`The key is ${allowed ? '' : 'not '}allowed to use ${what}.`, ...new Set(deciding)].join(' ');
}
