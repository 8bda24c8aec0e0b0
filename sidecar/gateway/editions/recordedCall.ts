import type { RecordedCall } from '../../launch/gateway/gatewayContract.ts';
import type { EndedCall } from '../storage/activity/endedCall.ts';
import type { SessionKeys } from './sessionKeys.ts';

/** Calls for cards and about tasks: they send an agent no message, and cost nothing. */
const ABOUT_TASKS = 'a2a:';

/** @returns `undefined` for a call that was not made under a chat key or that does not count, as one to a cloud agent without a price */
export function recordedCall(
  { holderOf }: Pick<SessionKeys, 'holderOf'>,
  { facts, prompt_tokens, completion_tokens, spend }: EndedCall,
): RecordedCall | undefined {
  const { session, chat, use } = holderOf(facts.of.api_key) ?? {};
  if (session === undefined || chat === undefined || use === 'cloud') return undefined;
  if (facts.of.call_type.startsWith(ABOUT_TASKS)) return undefined;
  return {
    session,
    chat,
    model: facts.of.model_group || facts.of.model,
    ...(facts.of.metadata['sub_agent'] === true && { subAgent: true }),
    inputTokens: prompt_tokens,
    outputTokens: completion_tokens,
    cost: spend,
  };
}
