import * as z from 'zod';
import { Duration } from '../duration.ts';
import { UserRole } from '../people.ts';
import { Id, stampShape } from '../stamps.ts';

/** What the link of an invitation gives. */
export const invitationShape = {
  /** For whom it is, in the words of who invites. */
  invitation_alias: Id.nullish(),
  /** The email address of the user who accepts it. */
  user_email: z.string().max(320).nullish(),
  user_role: UserRole.nullish(),
  team_id: Id.nullish(),
  team_role: z.enum(['admin', 'user']).nullish(),
};

export const InvitationRecord = z.object({
  invitation_id: Id,
  ...invitationShape,
  /** SHA-256 of the secret in the link, hex: the secret itself is kept nowhere. */
  token: z.string().regex(/^[0-9a-f]{64}$/),
  /** RFC 3339, UTC. */
  expires: z.string(),
  /** When somebody accepted it, and the user that they became. */
  accepted_at: z.string().nullish(),
  user_id: Id.nullish(),
  ...stampShape,
});
export type InvitationRecord = z.infer<typeof InvitationRecord>;

/** Body of `POST /invitation/new`. */
export const NewInvitation = z.strictObject({
  ...invitationShape,
  /** How long the link is good; at most 30 days. Default: 7 days. */
  duration: Duration.nullish(),
});

/** What answers show of an invitation. */
export const InvitationView = InvitationRecord.omit({ token: true });
export type InvitationView = z.infer<typeof InvitationView>;
/** `POST /invitation/new`. */
export const InvitationMade = InvitationView.extend({
  link: z.string().meta({ description: 'For the person who is invited. Shown only once.' }),
});

/** Body of `POST /ui/invitation`, from the page that the link opens. */
export const AcceptInvitation = z.strictObject({
  token: z.string().min(1).max(128),
  /** What the person is called. */
  name: z.string().trim().min(1).max(256),
});
/** What it answers. */
export const AcceptedInvitation = z.object({ user_id: z.string(), key: z.string() });
