import { Fault } from '../../../platform/faults.ts';
import type { ConfigJwtIssuer } from '../../../protocol/gateway/config/jwt.ts';
import type { Role } from '../../../protocol/gateway/key.ts';
import { listClaim, textClaim, verifiedEmail, wordsClaim } from '../people/claims.ts';
import type { Vouched } from '../people/findPerson.ts';
import type { VerifiedToken } from './verify.ts';

/** What a verified token says of its caller, before any record is read. */
export interface Subject {
  readonly config: ConfigJwtIssuer;
  readonly vouched: Vouched;
  /** Whether the token is that of a user, and not of a program. */
  readonly isPerson: boolean;
  /** IDs or names, in the order of the token; `undefined` where it names none. */
  readonly teams: readonly string[] | undefined;
  /** ID or name. */
  readonly organization: string | undefined;
  readonly endUserId: string | undefined;
  readonly role: Role;
  readonly allowedRoutes: readonly string[] | undefined;
}

/** The first is the most powerful. */
const roles: readonly Role[] = ['proxy_admin', 'proxy_admin_viewer', 'internal_user'];
/** Everything but the management API. */
const surfaces = ['llm_api_routes'];

/** @throws {Fault} `auth_required` for a token that lacks a claim by which its caller is known */
export function subjectOf({ issuer: { config }, subject, claims }: VerifiedToken): Subject {
  const names = config.claims;
  const isPerson = names.user_id !== null;
  const userId = names.user_id === null ? undefined : textClaim(claims, names.user_id);
  if (isPerson && userId === undefined) throw missing(names.user_id!);
  const teams = names.team_id === undefined ? [] : listClaim(claims, names.team_id);
  if (!isPerson && teams.length === 0) throw missing(names.team_id ?? 'team_id');
  const organization = names.organization_id === undefined ? undefined : textClaim(claims, names.organization_id);
  const endUserId = names.end_user === undefined ? undefined : textClaim(claims, names.end_user);
  const email = verifiedEmail(claims, names.email);
  return {
    config,
    vouched: { identity: { issuer: config.issuer, subject }, userId, email },
    isPerson,
    teams: teams.length > 0 ? teams : undefined,
    organization,
    endUserId,
    ...grantOf(config, names.roles === undefined ? [] : wordsClaim(claims, names.roles)),
  };
}

/** Without a mapped role nobody is an administrator, also not by their user record. */
function grantOf(config: ConfigJwtIssuer, values: readonly string[]): Pick<Subject, 'role' | 'allowedRoutes'> {
  const matching = values.flatMap((it) => (Object.hasOwn(config.roles, it) ? [config.roles[it]!] : []));
  const role = roles.find((it) => matching.some((match) => match.role === it));
  const routes = matching.flatMap((it) => it.allowed_routes ?? []);
  if (routes.length > 0) return { role: role ?? 'internal_user', allowedRoutes: [...new Set(routes)] };
  return { role: role ?? 'internal_user', allowedRoutes: role ? undefined : surfaces };
}

const missing = (claim: string) =>
  new Fault('auth_required', `This token does not have the claim '${claim}', which identifies its caller.`, {
    data: { reason: 'auth_error' },
  });
