import type * as z from 'zod';
import { compiledOnce, firstIssue } from '../building.ts';
import type { ChannelDefinition } from './defineChannel.ts';

export type ActionVerdict =
  | { readonly verdict: 'ok' }
  /** Of a newer peer: skipped by mirrors, refused by the host. */
  | { readonly verdict: 'unknown' }
  /** A broken promise. `reason` names the field and never quotes the value. */
  | { readonly verdict: 'malformed'; readonly reason: string };

type Judge = (value: unknown) => z.ZodSafeParseResult<unknown>;
const judges = new WeakMap<object, Judge>();
const ok: ActionVerdict = { verdict: 'ok' };
const unknown: ActionVerdict = { verdict: 'unknown' };

/**
 * Judges `action` by its channel's table. The judged value itself goes on to the reducer: a parsed copy would lose
 * members of newer peers. In a host, schemas are compiled on their first use, since every dispatch passes here.
 */
export function judgeAction(
  // biome-ignore lint/suspicious/noExplicitAny: takes entries of the erased table as well as typed ones
  definition: Pick<ChannelDefinition<any, any>, 'actions'>,
  action: { readonly type: string },
): ActionVerdict {
  const actions = definition.actions as Readonly<Record<string, z.ZodType>>;
  if (!Object.hasOwn(actions, action.type)) return unknown;
  const schema = actions[action.type]!;
  const judge = judges.get(schema) ?? compiledOnce(schema);
  judges.set(schema, judge);
  const result = judge(action);
  return result.success ? ok : { verdict: 'malformed', reason: firstIssue(result.error) };
}
