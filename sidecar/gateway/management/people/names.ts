import * as z from 'zod';
import { TeamMember } from '../../../protocol/gateway/people.ts';
import { badField } from '../read.ts';

/** Whom a member route is about: by id, else by address. */
export const memberNames = {
  user_id: z.string().min(1).max(256).nullish(),
  user_email: z.string().max(320).nullish(),
};
interface Named {
  readonly user_id?: string | null | undefined;
  readonly user_email?: string | null | undefined;
}

export const isSameMember = (one: Named, other: Named): boolean =>
  one.user_id
    ? one.user_id === other.user_id
    : Boolean(one.user_email) && one.user_email?.toLowerCase() === other.user_email?.toLowerCase();

/** Later words about the same person replace earlier ones. */
export const withMembers = <T extends Named>(members: readonly T[] | null | undefined, added: readonly T[]): T[] => [
  ...(members ?? []).filter((it) => !added.some((other) => isSameMember(other, it))),
  ...added,
];

/** @throws {Fault} `invalid_params` naming `user_id` where this is no member */
export function mustBeMember<T extends Named>(members: readonly T[] | null | undefined, name: Named): T {
  if (!name.user_id && !name.user_email) throw badField('user_id', "or 'user_email' is required");
  const found = members?.find((it) => isSameMember(name, it));
  if (!found) throw badField('user_id', 'does not match any member');
  return found;
}

export const oneOrMore = <T extends z.ZodType>(one: T) => z.union([one, z.array(one).min(1).max(1_000)]);
export const TeamMembers = oneOrMore(TeamMember);
