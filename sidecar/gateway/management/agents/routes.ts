import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { AgentPatch, type AgentRecord, AgentWrite } from '../../../protocol/gateway/agent.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { permissionOf } from '../../auth/permissions.ts';
import type { Method } from '../../routing/route.ts';
import { notFound } from '../../storage/records.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { Flag, whole } from '../read.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { change, checkOurs, existing, remove } from '../writes.ts';
import { credentialRoutes } from './credentials.ts';
import { addAgent, changeAgent } from './save.ts';
import { scoreOf } from './search.ts';
import { AgentView, agentView, seesWhole } from './view.ts';

const tag = 'agents';

/** Read from the store: what calls are served from holds secrets in clear. */
async function usableAgents(call: Call, { store, permissions }: ManagementDeps): Promise<readonly AgentRecord[]> {
  const all = await store.agent.all();
  const access = await permissions.of(call.caller);
  const isOpen = access.isBypass || (seesWhole(call) && !permissionOf(call.caller.key));
  return isOpen ? all : all.filter((it) => access.agents.has(it.agent_id));
}

const newAgent = route({
  method: 'POST',
  path: '/v1/agents',
  who: 'admin',
  tag,
  summary: 'Registers an A2A agent. Its secrets are encrypted and are shown only in masked form',
  body: AgentWrite,
  answer: AgentView,
  handle: async (call, deps) => ok(await agentView(call, deps, await addAgent(call, deps, call.body))),
});

const listAgents = route({
  method: 'GET',
  path: '/v1/agents',
  who: 'any',
  tag,
  summary:
    'Lists the A2A agents that you are allowed to use. With a query, lists only the matching agents, best match first',
  query: z.object({
    health_check: Flag.default(false),
    query: z.string().min(1).max(1_000).optional(),
    top_k: whole(1, 100).default(5),
  }),
  answer: z.array(AgentView),
  async handle(call, deps) {
    const { health_check, query, top_k } = call.query;
    let found = await usableAgents(call, deps);
    if (health_check) {
      const isWell = await Promise.all(found.map((it) => deps.isAgentHealthy(it)));
      found = found.filter((_, at) => isWell[at]);
    }
    if (query === undefined) return ok(await Promise.all(found.map((it) => agentView(call, deps, it))));
    const scored = found
      .map((agent) => ({ agent, search_score: scoreOf(agent, query) }))
      .filter((it) => it.search_score > 0)
      .toSorted((one, other) => other.search_score - one.search_score)
      .slice(0, top_k);
    return ok(
      await Promise.all(
        scored.map(async ({ agent, search_score }) => ({ ...(await agentView(call, deps, agent)), search_score })),
      ),
    );
  },
});

const readAgent = route({
  method: 'GET',
  path: '/v1/agents/{agent_id}',
  who: 'any',
  tag,
  summary: 'Returns one A2A agent',
  answer: AgentView,
  async handle(call, deps) {
    const id = call.params['agent_id']!;
    const found = (await usableAgents(call, deps)).find((it) => it.agent_id === id);
    if (found) return ok(await agentView(call, deps, found));
    if (seesWhole(call)) throw notFound('agent', id);
    // The same whether there is one or not.
    throw new Fault('forbidden', 'This key is not allowed to use this A2A agent.', { data: { field: 'agent_id' } });
  },
});

const writing = (method: Method & ('PUT' | 'PATCH'), summary: string) =>
  route({
    method,
    path: '/v1/agents/{agent_id}',
    who: 'admin',
    tag,
    summary,
    body: method === 'PUT' ? AgentWrite : AgentPatch,
    answer: AgentView,
    async handle(call, deps) {
      const id = call.params['agent_id']!;
      return ok(await agentView(call, deps, await changeAgent(call, deps, id, call.body, method === 'PUT')));
    },
  });

const deleteAgent = route({
  method: 'DELETE',
  path: '/v1/agents/{agent_id}',
  who: 'admin',
  tag,
  summary: 'Deletes an A2A agent. The keys that it owns stop working',
  answer: z.object({ agent_id: z.string(), message: z.string() }),
  async handle(call, deps) {
    const agent_id = call.params['agent_id']!;
    const { agent_name } = await remove(call, deps, 'agent', agent_id, (transaction) =>
      deps.store.secrets.within(transaction).remove('agent', agent_id),
    );
    await deps.backends.forget(agent_id);
    return ok({ agent_id, message: `The agent '${agent_name}' was deleted.` });
  },
});

const Published = z.object({ message: z.string(), public_agent_groups: z.array(z.string()), updated_by: z.string() });

async function publish(call: Call, deps: ManagementDeps, ids: readonly string[]) {
  for (const it of ids) checkOurs(await existing(deps, 'agent', it));
  for (const it of ids) {
    await change(call, deps, 'agent', it, (agent) => ({
      ...agent,
      gateway_params: { ...agent.gateway_params, is_public: true },
    }));
  }
  const open = (await deps.store.agent.all()).filter((it) => it.gateway_params?.is_public).map((it) => it.agent_id);
  const message = `Agents made public: ${ids.length}.`;
  return ok({ message, public_agent_groups: open, updated_by: call.actor.id });
}

const publishOne = route({
  method: 'POST',
  path: '/v1/agents/{agent_id}/make_public',
  who: 'admin',
  tag,
  summary: 'Makes an A2A agent public. Everyone can discover it, but access to it does not change',
  answer: Published,
  handle: (call, deps) => publish(call, deps, [call.params['agent_id']!]),
});

const publishMany = route({
  method: 'POST',
  path: '/v1/agents/make_public',
  who: 'admin',
  tag,
  summary: 'Makes the specified A2A agents public. Everyone can discover them, but access to them does not change',
  body: z.strictObject({ agent_ids: z.array(Id).min(1).max(1_000) }),
  answer: Published,
  handle: (call, deps) => publish(call, deps, call.body.agent_ids),
});

export const agentRoutes: readonly Route[] = [
  newAgent,
  listAgents,
  readAgent,
  writing('PUT', 'Replaces an A2A agent. A secret shown as ******** is left unchanged'),
  writing('PATCH', 'Updates the given fields. A null value clears a field'),
  deleteAgent,
  publishOne,
  publishMany,
  ...credentialRoutes,
];
