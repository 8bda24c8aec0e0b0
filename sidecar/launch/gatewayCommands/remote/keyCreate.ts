import * as z from 'zod';
import { Duration } from '../../../protocol/gateway/duration.ts';
import type { KeyGenerate } from '../../../protocol/gateway/key.ts';
import { exitCodes, LaunchFailure } from '../../failure.ts';
import type { CommandRun } from '../command.ts';
import type { AskedCommand } from '../readCommand.ts';
import { manage } from './manage.ts';
import { shownOnce } from './shownOnce.ts';

const Made = z.object({
  key: z.string(),
  token: z.string(),
  key_alias: z.string().nullish(),
  expires: z.string().nullish(),
});

/** `gateway key create`: a virtual key, printed once or written to a file that only its owner can read. */
export const keyCreate: CommandRun = async (asked, context) => {
  const body = bodyOf(asked);
  return shownOnce(asked, 'key', async () => {
    const made = await manage(asked, context, { path: '/key/generate', body, answer: Made });
    const { key, token, key_alias, expires } = made;
    return { secret: key, facts: { key_hash: token, key_alias, expires } };
  });
};

function bodyOf(asked: AskedCommand): KeyGenerate {
  const [alias, team, duration, budget] = (['alias', 'team', 'expires', 'budget'] as const).map((it) => asked.one(it));
  if (duration !== undefined && !Duration.safeParse(duration).success)
    throw usage(`--expires must be a number followed by s, m, h, d, w, or mo, for example 30d, not "${duration}".`);
  if (budget !== undefined && !/^\d{1,9}(?:\.\d{1,6})?$/.test(budget))
    throw usage(`--budget must be an amount in US dollars, for example 25 or 2.50, not "${budget}".`);
  const [servers, agents, models] = (['server', 'agent', 'model'] as const).map((it) => [...asked.all(it)]);
  const permission = {
    ...(servers?.length && { mcp_servers: servers }),
    ...(agents?.length && { agents }),
    ...(models?.length && { models }),
  };
  return {
    ...(alias !== undefined && { key_alias: alias }),
    ...(team !== undefined && { team_id: team }),
    ...(duration !== undefined && { duration }),
    ...(budget !== undefined && { max_budget: Number(budget) }),
    ...(Object.keys(permission).length > 0 && { object_permission: permission }),
  };
}

const usage = (sentence: string) => new LaunchFailure(exitCodes.usage, sentence);
