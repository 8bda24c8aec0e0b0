import { Fault } from '../../../platform/faults.ts';
import { type DetailKind, RecordUse, RecordUseQuery } from '../../../protocol/gateway/pages/recordUse.ts';
import type { CallsOf } from '../../storage/activity/recordCallReads.ts';
import { tokenOf } from '../keys/place.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { type Call, ok, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { namedBy } from './namedBy.ts';
import { ownKeys, teamScope } from './scope.ts';

/** What the page of a record says beside the record itself. */
export const recordUse = route({
  method: 'GET',
  path: '/activity/record',
  who: 'any',
  tag: 'activity',
  summary:
    'Returns the calls of a record and the records that name it. Unless you are an administrator, you can ask for your own keys, user, and teams',
  query: RecordUseQuery,
  answer: RecordUse,
  async handle(call, deps) {
    const { kind, start_date, end_date } = call.query;
    const id = kind === 'key' ? tokenOf(call.query.id) : call.query.id;
    const isOpen = seesAll(call.caller);
    if (!isOpen) await checkOwn(call, deps, kind, id);
    const found = await lookUp(deps, kind, id);
    const [calls, named_by] = await Promise.all([
      found.calls ? deps.activity.recordCalls(found.calls, start_date, end_date) : null,
      isOpen ? namedBy(deps, kind, found.names) : [],
    ]);
    return ok({ calls, named_by });
  },
});

/** @throws {Fault} `forbidden` for what is not the caller's own */
async function checkOwn(call: Call, deps: ManagementDeps, kind: DetailKind, id: string): Promise<void> {
  if (kind === 'key' && (await ownKeys(call, deps)).includes(id)) return;
  if (kind === 'user' && id === call.caller.key.user_id) return;
  if (kind === 'team' && (await teamScope(call, deps, [id], undefined)).keys === undefined) return;
  throw new Fault('forbidden', 'You can see only your own keys, your own user, and teams that you administer.', {
    data: { field: 'id' },
  });
}

const columns = {
  key: 'api_key',
  team: 'team_id',
  organization: 'organization_id',
  user: 'user_id',
  end_user: 'end_user',
  agent: 'agent_id',
  model: 'model_group',
} as const;

interface Found {
  readonly calls?: CallsOf;
  /** By what other records may name it. */
  readonly names: readonly string[];
}

/** A record that is not there any more still has its calls, by its ID. */
async function lookUp({ store }: ManagementDeps, kind: DetailKind, id: string): Promise<Found> {
  switch (kind) {
    case 'budget':
    case 'guardrail':
      return { names: [id] };
    case 'mcp_server': {
      const server = await store.mcp_server.get(id);
      const names = [id, server?.alias, server?.server_name].flatMap((it) => it || []);
      // In logs a space of a name is "_".
      return { calls: { servers: [...new Set(names.map((it) => it.replaceAll(' ', '_')))] }, names };
    }
    case 'toolset': {
      const toolset = await store.toolset.get(id);
      const servers = new Map((await store.mcp_server.all()).map((it) => [it.server_id, it]));
      const tools = (toolset?.tools ?? []).map(({ server_id, tool_name }) => {
        const server = servers.get(server_id);
        return `${(server?.alias || server?.server_name || server_id).replaceAll(' ', '_')}/${tool_name}`;
      });
      return { calls: { tools }, names: [id, ...(toolset ? [toolset.toolset_name] : [])] };
    }
    case 'agent': {
      const agent = await store.agent.get(id);
      return { calls: { column: columns[kind], value: id }, names: [id, ...(agent ? [agent.agent_name] : [])] };
    }
    default:
      return { calls: { column: columns[kind], value: id }, names: [id] };
  }
}
