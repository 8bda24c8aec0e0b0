import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { DAY_MS, durationMs, endOfDuration } from '../../../protocol/gateway/duration.ts';
import {
  InvitationMade,
  type InvitationRecord,
  InvitationView,
  NewInvitation,
} from '../../../protocol/gateway/people/invitation.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { hashInvitation, newInvitation } from '../../auth/people/invitations.ts';
import { notFound } from '../../storage/records.ts';
import { ledTeams } from '../keys/place.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField } from '../read.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { ledTeam } from '../teams/rules.ts';
import { checkOurs, create, created, named, remove } from '../writes.ts';

const tag = 'invitations';
const DEFAULT_DURATION = '7d';
const MAX_MS = 30 * DAY_MS;

const view = ({ token: _token, ...rest }: InvitationRecord): InvitationView => rest;

/**
 * Administrators invite anybody. Those who lead a team invite to it, and say nothing else of the person: a role in the
 * dashboard or an email address would give more than the team has.
 * @throws {Fault} `forbidden`, `not_found`, `conflict`
 */
async function checkPlace(call: Call<unknown, z.output<typeof NewInvitation>>, deps: ManagementDeps): Promise<void> {
  const { team_id, user_role, user_email, team_role } = call.body;
  if (team_id) checkOurs((await ledTeam(call, deps, team_id)).team);
  if (!team_id && team_role) throw badField('team_role', 'requires team_id');
  if (call.caller.isAdmin) {
    const address = user_email?.toLowerCase();
    const isTaken = address && (await deps.store.user.all()).some((it) => it.user_email?.toLowerCase() === address);
    if (isTaken) throw badField('user_email', 'belongs to a user who exists already');
    return;
  }
  const wrong = !team_id ? 'team_id' : user_role ? 'user_role' : user_email ? 'user_email' : undefined;
  if (wrong === undefined) return;
  throw new Fault(
    'forbidden',
    `'${wrong}': team admins can invite people only to their teams, without a role or email address.`,
    {
      data: { field: wrong },
    },
  );
}

const newRoute = route({
  method: 'POST',
  path: '/invitation/new',
  who: 'any',
  tag,
  summary: 'Creates an invitation and shows its link only once. Team admins can invite people to their teams',
  body: NewInvitation,
  answer: InvitationMade,
  async handle(call, deps) {
    const { duration, ...fields } = call.body;
    await checkPlace(call, deps);
    const length = duration ?? DEFAULT_DURATION;
    if (durationMs(length) > MAX_MS) throw badField('duration', 'must be at most 30 days');
    const secret = newInvitation(deps.randomBytes);
    const record: InvitationRecord = {
      invitation_id: deps.newId(),
      ...named(fields),
      token: hashInvitation(secret),
      expires: endOfDuration(length, deps.clock.nowMs()),
      ...created(call, deps),
    };
    await create(call, deps, 'invitation', record.invitation_id, record);
    // What follows # stays in the browser, so that no proxy has it in its log.
    return ok({ ...view(record), link: `${call.context.baseUrl}/ui/#invitation=${secret}` });
  },
});

async function inSight(call: Call, deps: ManagementDeps): Promise<readonly InvitationRecord[]> {
  const all = await deps.store.invitation.all();
  if (seesAll(call.caller)) return all;
  const led = new Set((await ledTeams(call, deps)).map((it) => it.team_id));
  return all.filter((it) => it.team_id && led.has(it.team_id));
}

const listRoute = route({
  method: 'GET',
  path: '/invitation/list',
  who: 'any',
  tag,
  summary: 'Lists invitations. Administrators see all of them; others see those to teams that they administer',
  answer: z.array(InvitationView),
  handle: async (call, deps) => ok((await inSight(call, deps)).map(view)),
});

const deleteRoute = route({
  method: 'POST',
  path: '/invitation/delete',
  who: 'any',
  tag,
  summary: 'Deletes an invitation, so that its link no longer works',
  body: z.strictObject({ invitation_id: Id }),
  answer: InvitationView,
  async handle(call, deps) {
    const { invitation_id } = call.body;
    // Those of others are not found either: nobody learns which there are.
    const isTheirs = (await inSight(call, deps)).some((it) => it.invitation_id === invitation_id);
    if (!isTheirs) throw notFound('invitation', invitation_id);
    return ok(view(await remove(call, deps, 'invitation', invitation_id)));
  },
});

export const invitationRoutes: readonly Route[] = [newRoute, listRoute, deleteRoute];
