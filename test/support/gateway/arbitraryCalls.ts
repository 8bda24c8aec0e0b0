import fc from 'fast-check';
import type { FirstFacts, Outcome, Who } from '../../../sidecar/gateway/activity/recording.ts';

export interface ArbitraryCall {
  readonly requestId: string;
  readonly who: Who;
  readonly first: FirstFacts;
  readonly outcome: Outcome;
  /** How long the call takes, and how long nothing happens after it. */
  readonly tookMs: number;
  readonly restMs: number;
}

const among = <T>(...values: T[]) => fc.constantFrom(...values);
const maybe = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

/** Calls of few owners over some days, at prices whose sums are exact. */
export const arbitraryCalls: fc.Arbitrary<readonly ArbitraryCall[]> = fc.array(
  fc.record({
    requestId: fc.uuid(),
    who: fc.record({
      api_key: among('', 'a'.repeat(64), 'b'.repeat(64)),
      team_id: maybe('t1', 't2'),
      organization_id: maybe('o1'),
      user_id: maybe('u1', 'u2'),
      end_user: maybe('e1', 'e2', 'é\0'),
      agent_id: maybe('agent-1'),
      session_id: maybe('s1', 's2'),
      tags: fc.array(among('x', 'y', 'z', 'x,y'), { maxLength: 4 }),
    }),
    first: fc.record({
      endpoint: among('/mcp', '/a2a/{agent_id}', '/cloudagents/v0/agents'),
      call_type: fc.constant('call_mcp_tool'),
      model: among('MCP: add', 'a2a_agent/one'),
      custom_llm_provider: maybe('cursor'),
      mcp_namespaced_tool_name: maybe('math/add', 'math/sub', 'web/get'),
    }),
    outcome: fc.record({
      status: among('success' as const, 'failure' as const),
      spend: fc.nat(640).map((it) => it / 64),
      prompt_tokens: fc.nat(1_000),
      completion_tokens: fc.nat(1_000),
      error: maybe('it broke'),
    }),
    tookMs: fc.nat(5_000),
    restMs: fc.nat(20 * 60 * 60_000),
  }),
  { maxLength: 40 },
);
