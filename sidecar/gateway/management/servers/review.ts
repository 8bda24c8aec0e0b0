import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { McpServerCreate } from '../../../protocol/gateway/mcpServer.ts';
import { readSealedValues, withSealedValues } from '../../storage/sealedValues.ts';
import { personOf } from '../person.ts';
import { badField } from '../read.ts';
import { ok, type Route, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { change, existing } from '../writes.ts';
import { answer, tag } from './crud.ts';
import { addServer, checkServer, readCredentials } from './save.ts';
import { ServerView, serverViews } from './view.ts';

/** What a submission cannot ask for: it is an administrator's to give. */
const given = ['allow_all_keys', 'allow_private_network', 'available_on_public_internet', 'listed_in_catalog'] as const;

const submitServer = route({
  method: 'POST',
  path: '/v1/mcp/server/register',
  who: 'any',
  tag,
  summary: 'Proposes an MCP server with a team key. The server cannot be used until an administrator approves it',
  status: 201,
  body: McpServerCreate,
  answer: ServerView,
  async handle(call, deps) {
    if (!call.caller.key.team_id) throw new Fault('forbidden', 'To propose an MCP server, use a team key.');
    if (call.body.transport === 'stdio') throw badField('transport', 'must be http or sse for a proposal');
    const asked = given.find((it) => call.body[it] !== undefined && call.body[it] !== null);
    if (asked) throw new Fault('forbidden', `Only administrators can set '${asked}'.`, { data: { field: asked } });
    const review = { submitted_by: personOf(call.caller), submitted_at: deps.clock.now() };
    const record = await addServer(call, deps, call.body, { approval_status: 'pending_review', ...review });
    const [view] = await serverViews(call, deps, [record], { isWhole: false });
    return ok(view, 201);
  },
});

const listSubmissions = route({
  method: 'GET',
  path: '/v1/mcp/server/submissions',
  who: 'any',
  tag,
  summary: 'Lists proposed MCP servers. Administrators see all of them; others see their own',
  answer: z.object({
    total: z.int(),
    pending_review: z.int(),
    active: z.int(),
    rejected: z.int(),
    items: z.array(ServerView),
  }),
  async handle(call, deps) {
    const isWhole = seesAll(call.caller);
    const person = personOf(call.caller);
    const found = (await deps.store.mcp_server.all()).filter(
      (it) => it.submitted_at && (isWhole || it.submitted_by === person),
    );
    const count = (status: string) => found.filter((it) => it.approval_status === status).length;
    const items = await serverViews(call, deps, found, { isWhole });
    const [pending_review, active, rejected] = ['pending_review', 'active', 'rejected'].map(count);
    return ok({ total: found.length, pending_review, active, rejected, items });
  },
});

const deciding = (verb: 'approve' | 'reject', approval_status: 'active' | 'rejected', summary: string) =>
  route({
    method: 'PUT',
    path: `/v1/mcp/server/{server_id}/${verb}`,
    who: 'admin',
    tag,
    summary,
    body: z.strictObject({ review_notes: z.string().max(10_000).nullish() }),
    answer: ServerView,
    async handle(call, deps) {
      const id = call.params['server_id']!;
      const before = await existing(deps, 'mcp_server', id);
      if (!before.submitted_at) throw new Fault('conflict', 'This MCP server is not a proposal.');
      if (approval_status === 'active') {
        // Names and rules may have changed since it was proposed.
        const clear = withSealedValues(before, await readSealedValues(deps.store.secrets, 'mcp_server', id));
        await checkServer(deps, clear, await readCredentials(deps, id));
      }
      const review_notes = call.body.review_notes ?? null;
      const next = { approval_status, review_notes, reviewed_at: deps.clock.now() };
      const action = approval_status === 'active' ? 'approved' : 'rejected';
      const record = await change(call, deps, 'mcp_server', id, (it) => ({ ...it, ...next }), action);
      await deps.backends.forget(id);
      return answer(call, deps, record);
    },
  });

export const reviewRoutes: readonly Route[] = [
  submitServer,
  listSubmissions,
  deciding('approve', 'active', 'Approves a proposed MCP server'),
  deciding('reject', 'rejected', 'Rejects a proposed MCP server or revokes its approval'),
];
