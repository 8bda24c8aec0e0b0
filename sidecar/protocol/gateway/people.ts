import * as z from 'zod';
import { described } from '../building.ts';
import { AccessGroupIds } from './accessGroup.ts';
import { Duration } from './duration.ts';
import { Count, limitShape, Money } from './limits.ts';
import { ObjectPermission } from './objectPermission.ts';
import { AllowedIps, Id, Metadata, stampShape, Tags } from './stamps.ts';

/** What one member may use of the team. Where it is absent, `team_member_budget` holds. */
export const memberLimitShape = described(
  {
    max_budget_in_team: Money.nullish(),
    budget_duration: Duration.nullish(),
    allowed_models: z.array(z.string()).nullish(),
  },
  {
    max_budget_in_team: "The member's budget in the team, in US dollars. Default: team_member_budget.",
    budget_duration: 'Reset interval for max_budget_in_team. Default: team_member_budget_duration.',
    allowed_models: 'Team models that this member may use.',
  },
);

const personShape = described(
  { user_id: Id.nullish(), user_email: z.string().max(320).nullish() },
  {
    user_id: 'User ID. Either user_id or user_email is required.',
    user_email: "User's email address. Either user_email or user_id is required.",
  },
);

export const TeamMember = z
  .object({
    role: z.enum(['admin', 'user']).describe('admin: can manage the team. user: can use what the team has access to.'),
    ...personShape,
    ...memberLimitShape,
  })
  .refine((it) => it.user_id || it.user_email, { error: 'user_id or user_email is required', path: ['user_id'] });

export type TeamMember = z.infer<typeof TeamMember>;

/** From the configuration file: the API leaves it alone. */
const fromConfig = { from_config: z.boolean().nullish() };

/** What a team lets members do who do not lead it: by the routes for keys, with keys of their own and of no person. */
export const TeamMemberPermission = z.enum([
  '/key/info',
  '/key/list',
  '/key/generate',
  '/key/service-account/generate',
  '/key/update',
  '/key/regenerate',
  '/key/block',
  '/key/delete',
]);
export type TeamMemberPermission = z.infer<typeof TeamMemberPermission>;
export const TeamMemberPermissions = z.array(TeamMemberPermission).max(TeamMemberPermission.options.length);

export const teamShape = {
  team_alias: Id.nullish(),
  organization_id: Id.nullish(),
  members_with_roles: z.array(TeamMember).max(10_000).nullish(),
  /** Of each member who has none of their own, by the keys that name their user. */
  team_member_budget: Money.nullish(),
  team_member_budget_duration: Duration.nullish(),
  team_member_rpm_limit: Count.nullish(),
  team_member_tpm_limit: Count.nullish(),
  ...limitShape,
  budget_id: Id.nullish(),
  models: z.array(z.string()).nullish(),
  object_permission: ObjectPermission.nullish(),
  access_group_ids: AccessGroupIds,
  team_member_permissions: TeamMemberPermissions.nullish(),
  guardrails: z.array(Id).max(64).nullish(),
  /** Holds together with the list of the key. */
  allowed_ips: AllowedIps.nullish(),
  tags: Tags.nullish(),
  metadata: Metadata.nullish(),
  /** Requests and responses of calls with its keys are never stored. */
  no_content_log: z.boolean().nullish(),
  blocked: z.boolean().nullish(),
};
export const TeamRecord = z.object({
  team_id: Id,
  ...teamShape,
  ...fromConfig,
  /** Of a group that an identity provider manages by SCIM. */
  scim: Metadata.nullish(),
  ...stampShape,
});
export type TeamRecord = z.infer<typeof TeamRecord>;

/** A user's entry in a team's list of members, found by ID or email address. */
export function memberOf(
  team: Pick<TeamRecord, 'members_with_roles'> | undefined,
  userId: string,
  userEmail: string | null | undefined,
): TeamMember | undefined {
  const email = userEmail?.toLowerCase();
  return team?.members_with_roles?.find(
    (it) => it.user_id === userId || (email !== undefined && it.user_email?.toLowerCase() === email),
  );
}

export const OrganizationMember = z
  .object({
    user_role: z
      .enum(['org_admin', 'internal_user'])
      .describe("org_admin: can manage the organization's teams. internal_user: can use them."),
    ...personShape,
  })
  .refine((it) => it.user_id || it.user_email, { error: 'user_id or user_email is required', path: ['user_id'] });

export const organizationShape = {
  organization_alias: Id.nullish(),
  members: z.array(OrganizationMember).max(10_000).nullish(),
  ...limitShape,
  budget_id: Id.nullish(),
  models: z.array(z.string()).nullish(),
  object_permission: ObjectPermission.nullish(),
  tags: Tags.nullish(),
  metadata: Metadata.nullish(),
  blocked: z.boolean().nullish(),
};
export const OrganizationRecord = z.object({
  organization_id: Id,
  ...organizationShape,
  ...fromConfig,
  ...stampShape,
});
export type OrganizationRecord = z.infer<typeof OrganizationRecord>;

/** What a user can do in the dashboard, highest first. */
export const UserRole = z.enum(['proxy_admin', 'proxy_admin_viewer', 'internal_user', 'internal_user_viewer']);
export type UserRole = z.infer<typeof UserRole>;

export const userShape = {
  user_alias: Id.nullish(),
  user_email: z.string().max(320).nullish(),
  user_role: UserRole.nullish(),
  teams: z.array(Id).nullish(),
  ...limitShape,
  object_permission: ObjectPermission.nullish(),
  metadata: Metadata.nullish(),
  /** Every key of this person is refused. */
  blocked: z.boolean().nullish(),
};

/** Somebody's account at an identity provider: its subject is unique there and nowhere else. */
export const ProviderIdentity = z.object({ issuer: z.string().min(1), subject: z.string().min(1) });
export type ProviderIdentity = z.infer<typeof ProviderIdentity>;

/** No two users have the same. */
export const identityName = ({ issuer, subject }: ProviderIdentity): string => JSON.stringify([issuer, subject]);

/** How the audit says that somebody sent a signed token (JWT). The issuer is a URL, so it has no space. */
export const signedInByToken = ({ issuer, subject }: ProviderIdentity) => `jwt ${issuer} ${subject}` as const;

export const UserRecord = z.object({
  user_id: Id,
  ...userShape,
  /** Set when the user first comes from the identity provider. Such a record is nobody else's. */
  identity: ProviderIdentity.nullish(),
  /** Of a user whom an identity provider manages by SCIM. */
  scim: Metadata.nullish(),
  ...stampShape,
});
export type UserRecord = z.infer<typeof UserRecord>;

/** A customer of a caller: budgets and access on top of the key's (`gateway.header.end-user.budget`). */
export const endUserShape = {
  alias: Id.nullish(),
  ...limitShape,
  budget_id: Id.nullish(),
  object_permission: ObjectPermission.nullish(),
  metadata: Metadata.nullish(),
  blocked: z.boolean().nullish(),
};
export const EndUserRecord = z.object({ user_id: Id, ...endUserShape, ...stampShape });
export type EndUserRecord = z.infer<typeof EndUserRecord>;

/** A credential of an identity provider, for the SCIM routes alone. */
export const ScimTokenRecord = z.object({ token_id: Id, name: Id, hash: z.string(), ...stampShape });
export type ScimTokenRecord = z.infer<typeof ScimTokenRecord>;
export const ScimTokenView = ScimTokenRecord.omit({ hash: true });
export type ScimTokenView = z.infer<typeof ScimTokenView>;
/** Body of `POST /scim/token/new`. */
export const ScimTokenNew = z.strictObject({ name: Id });
export const ScimTokenMade = ScimTokenView.extend({ token: z.string().describe('Shown only once') });
export const ScimTokenListAnswer = z.object({ tokens: z.array(ScimTokenView) });
