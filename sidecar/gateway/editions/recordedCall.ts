import type { RecordedCall } from '../../launch/gateway/gatewayContract.ts';
import type { EndedCall } from '../storage/activity/endedCall.ts';
import type { SessionKeys } from './sessionKeys.ts';

/** @returns `undefined` for a call that was not made under a chat key */
export function recordedCall(
  { holderOf }: Pick<SessionKeys, 'holderOf'>,
  { facts, prompt_tokens, completion_tokens, spend }: EndedCall,
): RecordedCall | undefined {
  const { session, chat } = holderOf(facts.of.api_key) ?? {};
  if (session === undefined || chat === undefined) return undefined;
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
