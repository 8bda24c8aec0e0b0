import * as z from 'zod';
import { KeyGenerate, KeyRecord } from '../../../protocol/gateway/key.ts';
import { badField } from '../read.ts';
import { ok, route } from '../route.ts';
import { makeKey } from './make.ts';

export const KeyView = KeyRecord.extend({
  spend: z.number(),
  budget_reset_at: z.string().nullable(),
  is_service_account: z.boolean().meta({ description: 'Whether the key belongs to a team and to no user or agent.' }),
});
export const KeyMade = KeyView.extend({ key: z.string().meta({ description: 'Shown only once.' }) });

export const generateKey = route({
  method: 'POST',
  path: '/key/generate',
  who: 'any',
  tag: 'keys',
  summary: 'Creates a virtual key and shows it only once',
  body: KeyGenerate,
  answer: KeyMade,
  handle: async (call, deps) => ok(await makeKey(call, deps)),
});

export const generateServiceKey = route({
  method: 'POST',
  path: '/key/service-account/generate',
  who: 'any',
  tag: 'keys',
  summary: 'Creates a service account key for a team. The key does not belong to a user',
  body: KeyGenerate,
  answer: KeyMade,
  async handle(call, deps) {
    if (!call.body.team_id) throw badField('team_id', 'is required because a service account key belongs to a team');
    if (call.body.user_id)
      throw badField('user_id', 'must be omitted because a service account key does not belong to a user');
    return ok(await makeKey(call, deps, '/key/service-account/generate'));
  },
});
