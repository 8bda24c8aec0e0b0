import * as z from 'zod';
import {
  ScimTokenListAnswer,
  ScimTokenMade,
  ScimTokenNew,
  type ScimTokenRecord,
} from '../../../protocol/gateway/people.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { hashKey } from '../../auth/keys.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { ok, type Route, route } from '../route.ts';
import { create, created, remove } from '../writes.ts';

const tag = 'users';
const PREFIX = 'scim-';
const RANDOM_BYTES = 32;

const shown = ({ hash: _hash, ...rest }: ScimTokenRecord) => rest;

const makeToken = route({
  method: 'POST',
  path: '/scim/token/new',
  who: 'admin',
  tag,
  summary: 'Creates a token with which an identity provider manages users and groups by SCIM, and shows it only once',
  body: ScimTokenNew,
  answer: ScimTokenMade,
  async handle(call, deps) {
    const token = PREFIX + Buffer.from(deps.randomBytes(RANDOM_BYTES)).toString('base64url');
    const record = { token_id: deps.newId(), name: call.body.name, hash: hashKey(token), ...created(call, deps) };
    await create(call, deps, 'scim_token', record.token_id, record);
    return ok({ ...shown(record), token });
  },
});

const listTokens = route({
  method: 'GET',
  path: '/scim/token/list',
  who: 'viewer',
  tag,
  summary: 'Lists the tokens of identity providers for SCIM, without the tokens themselves',
  answer: ScimTokenListAnswer,
  handle: async (_, { store }) => ok({ tokens: (await store.scim_token.all()).map(shown) }),
});

const deleteToken = route({
  method: 'POST',
  path: '/scim/token/delete',
  who: 'admin',
  tag,
  summary: 'Deletes a token for SCIM. The users and teams that it made stay',
  body: z.strictObject({ token_id: Id }),
  answer: z.object({ deleted_token: z.string() }),
  async handle(call, deps) {
    await remove(call, deps, 'scim_token', call.body.token_id);
    return ok({ deleted_token: call.body.token_id });
  },
});

export const scimTokenRoutes: readonly Route[] = [makeToken, listTokens, deleteToken];

/** Who a token stands for; `undefined` where nobody made it. Virtual keys and signed tokens are none. */
export async function scimTokenOf({ store }: Pick<ManagementDeps, 'store'>, token: string) {
  return token.startsWith(PREFIX) ? store.scim_token.byAlias(hashKey(token)) : undefined;
}
