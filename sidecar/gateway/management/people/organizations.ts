import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import {
  OrganizationMember,
  OrganizationRecord,
  organizationShape,
  TeamRecord,
} from '../../../protocol/gateway/people.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import type { Method } from '../../routing/route.ts';
import { notFound } from '../../storage/records.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField } from '../read.ts';
import { recordHandlers } from '../recordHandlers.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { isInOrganization, leadsOrganization, seesAll } from '../standing.ts';
import { change, existing, remove } from '../writes.ts';
import { isSameMember, memberNames, mustBeMember, oneOrMore, withMembers } from './names.ts';

const tag = 'organizations';
const View = OrganizationRecord.extend({ spend: z.number(), teams: z.array(TeamRecord) });

async function view({ store, spending }: ManagementDeps, record: OrganizationRecord) {
  const { organization_id } = record;
  const [spent] = await spending.of('organization', [record]);
  const teams = (await store.team.list({ organization_id })).items;
  return { ...record, spend: spent?.spend ?? 0, teams };
}

async function checkBudget({ store }: ManagementDeps, { budget_id }: Partial<OrganizationRecord>): Promise<void> {
  if (budget_id && !(await store.budget.get(budget_id)))
    throw badField('budget_id', 'refers to a budget that does not exist');
}

const isVisible = (call: Call, record: OrganizationRecord) =>
  seesAll(call.caller) ||
  call.caller.organization?.organization_id === record.organization_id ||
  isInOrganization(call.caller, record);

const organizations = recordHandlers({
  kind: 'organization',
  id: 'organization_id',
  check: checkBudget,
  views: (deps, records) => Promise.all(records.map((it) => view(deps, it))),
  isVisible,
});

const newOrganization = route({
  method: 'POST',
  path: '/organization/new',
  who: 'admin',
  tag,
  summary: 'Creates an organization, which sets limits for its teams',
  body: z.strictObject({ organization_id: Id.nullish(), ...organizationShape, organization_alias: Id }),
  answer: View,
  handle: organizations.create(),
});

const updateOrganization = (method: Method) =>
  route({
    method,
    path: '/organization/update',
    who: 'admin',
    tag,
    summary: 'Updates the given fields. A null value clears a field',
    body: z.strictObject({ organization_id: Id, ...organizationShape }),
    answer: View,
    handle: organizations.update,
  });

const deleteOrganizations = (method: Method) =>
  route({
    method,
    path: '/organization/delete',
    who: 'admin',
    tag,
    summary: 'Deletes organizations that have no teams or keys',
    body: z.strictObject({ organization_ids: z.array(Id).min(1).max(100) }),
    answer: z.array(OrganizationRecord),
    async handle(call, deps) {
      const ids = call.body.organization_ids;
      for (const it of ids) await checkEmpty(deps, it);
      const deleted: OrganizationRecord[] = [];
      for (const it of ids) deleted.push(await remove(call, deps, 'organization', it));
      return ok(deleted);
    },
  });

async function checkEmpty(deps: ManagementDeps, organization_id: string): Promise<void> {
  await existing(deps, 'organization', organization_id);
  for (const kind of ['team', 'key'] as const) {
    const { total } = await deps.store[kind].list({ organization_id, limit: 1 });
    if (total > 0)
      throw new Fault('conflict', `The organization is still in use (${kind} records: ${total}).`, {
        data: { field: 'organization_ids' },
      });
  }
}

/** @throws {Fault} `not_found`, also where it is not theirs */
async function led(call: Call, deps: ManagementDeps, id: string): Promise<OrganizationRecord> {
  const found = await deps.store.organization.get(id);
  if (found && (call.caller.isAdmin || leadsOrganization(call.caller, found))) return found;
  throw notFound('organization', id);
}

const addMembers = route({
  method: 'POST',
  path: '/organization/member_add',
  who: 'any',
  tag,
  summary: 'Adds members or changes their roles',
  body: z.strictObject({ organization_id: Id, member: oneOrMore(OrganizationMember) }),
  answer: View,
  async handle(call, deps) {
    const { organization_id, member } = call.body;
    await led(call, deps, organization_id);
    const record = await change(call, deps, 'organization', organization_id, (it) => ({
      ...it,
      members: withMembers(it.members, [member].flat()),
    }));
    return ok(await view(deps, record));
  },
});

const updateMember = (method: Method) =>
  route({
    method,
    path: '/organization/member_update',
    who: 'any',
    tag,
    summary: "Changes a member's role",
    body: z.strictObject({ organization_id: Id, ...memberNames, role: OrganizationMember.shape.user_role }),
    answer: View,
    async handle(call, deps) {
      const { organization_id, role, ...name } = call.body;
      const found = mustBeMember((await led(call, deps, organization_id)).members, name);
      const record = await change(call, deps, 'organization', organization_id, (it) => ({
        ...it,
        members: withMembers(it.members, [{ ...found, user_role: role }]),
      }));
      return ok(await view(deps, record));
    },
  });

const deleteMember = (method: Method) =>
  route({
    method,
    path: '/organization/member_delete',
    who: 'any',
    tag,
    summary: 'Removes a member',
    body: z.strictObject({ organization_id: Id, ...memberNames }),
    answer: View,
    async handle(call, deps) {
      const { organization_id, ...name } = call.body;
      mustBeMember((await led(call, deps, organization_id)).members, name);
      const record = await change(call, deps, 'organization', organization_id, (it) => ({
        ...it,
        members: it.members?.filter((member) => !isSameMember(name, member)),
      }));
      return ok(await view(deps, record));
    },
  });

const organizationInfo = route({
  method: 'GET',
  path: '/organization/info',
  who: 'any',
  tag,
  summary: 'Returns one organization with its teams',
  query: z.object({ organization_id: Id }),
  answer: View,
  handle: (call, deps) => organizations.read(call, deps, call.query.organization_id),
});

const listOrganizations = route({
  method: 'GET',
  path: '/organization/list',
  who: 'any',
  tag,
  summary: 'Lists organizations. Administrators see all of them; others see those that they belong to',
  answer: z.array(View),
  handle: organizations.list,
});

export const organizationRoutes: readonly Route[] = [
  newOrganization,
  // Clients in the field send these with the one method or the other.
  ...(['POST', 'PATCH'] as const).flatMap((it) => [updateOrganization(it), updateMember(it)]),
  ...(['POST', 'DELETE'] as const).flatMap((it) => [deleteOrganizations(it), deleteMember(it)]),
  addMembers,
  organizationInfo,
  listOrganizations,
];
