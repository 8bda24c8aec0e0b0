import * as z from 'zod';
import type { CommandRun } from '../command.ts';
import { manage } from './manage.ts';
import { shownOnce } from './shownOnce.ts';

const Made = z.object({ token_id: z.string(), name: z.string(), token: z.string() });
const Revoked = z.object({ deleted_token: z.string() });

/** `gateway scim-token create NAME`: a token with which an identity provider manages users and teams. */
export const scimTokenCreate: CommandRun = (asked, context) =>
  shownOnce(asked, 'token', async () => {
    const body = { name: asked.argument };
    const { token, ...facts } = await manage(asked, context, { path: '/scim/token/new', body, answer: Made });
    return { secret: token, facts };
  });

/** `gateway scim-token revoke ID`: from now on, the token is refused. */
export const scimTokenRevoke: CommandRun = async (asked, context) => {
  const body = { token_id: asked.argument };
  await manage(asked, context, { path: '/scim/token/delete', body, answer: Revoked });
  return { text: `Revoked the SCIM token "${asked.argument}".\n`, data: body };
};
