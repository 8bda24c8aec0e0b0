import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { endedCall } from '../../../../../../sidecar/gateway/storage/activity/endedCall.ts';
import { CallLines, names } from '../../../../../../sidecar/gateway/storage/activity/spendLogRow.ts';
import type { SpendLog } from '../../../../../../sidecar/protocol/gateway/activity.ts';
import * as records from '../../../../../support/gateway/activityLines.ts';

/** Texts with whatever could be taken for the end of a value, of a line, or of a list. */
const text = fc.string({
  unit: fc.constantFrom(
    'a',
    '"',
    '\\',
    ',',
    '[',
    ']',
    '],[',
    ',0]',
    '\0',
    '\n',
    '\r',
    '\u2028',
    '\ud800',
    '\udc00',
    'é',
  ),
  maxLength: 8,
});
const textOrNull = fc.option(text);
const count = fc.constantFrom(0, 0, 0, 1, 7, Number.MAX_SAFE_INTEGER);
const amount = fc.constantFrom(0, 1, 0.1, 1e21, 1e-9, 5e-324, Number.MAX_VALUE);

const facts: fc.Arbitrary<Partial<SpendLog>> = fc.record({
  endpoint: text,
  call_type: text,
  api_key: text,
  model: text,
  model_group: textOrNull,
  custom_llm_provider: textOrNull,
  api_base: textOrNull,
  user: textOrNull,
  team_id: textOrNull,
  organization_id: textOrNull,
  end_user: textOrNull,
  agent_id: textOrNull,
  session_id: textOrNull,
  trace_id: textOrNull,
  mcp_namespaced_tool_name: textOrNull,
  request_tags: fc.array(text, { maxLength: 2 }),
  requester_ip_address: textOrNull,
  metadata: fc.dictionary(fc.constantFrom('a', 'b'), text, { maxKeys: 2, noNullPrototype: true }),
});
const end = fc.record({
  request_id: text,
  startedMs: fc.integer({ min: -1, max: 3 * 24 * 60 * 60_000 }),
  tookMs: fc.nat(100_000),
  ttftMs: fc.option(fc.nat(1_000)),
  request_duration_ms: amount,
  spend: amount,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  status: fc.constantFrom('success' as const, 'failure' as const),
  error: textOrNull,
  error_code: textOrNull,
});

describe('the lines of calls that wait to be written', () => {
  it('are each that of its call, whatever its texts and numbers are, and whatever calls came before it', () => {
    const kinds = fc.array(facts, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(kinds, fc.array(fc.tuple(fc.nat(), end), { maxLength: 20 }), (all, ends) => {
        const made = all.map((it) => endedCall(records.line('', '1970-01-01T00:00:00.000Z', 0, it)));
        const lines = new CallLines();
        const expected = ends.map(([nth, { tookMs, ...call }]): SpendLog => {
          const { facts: kind } = made[nth % made.length]!;
          const { startedMs, ttftMs, ...more } = call;
          const endedMs = startedMs + tookMs;
          lines.add({ ...call, facts: kind, endedMs });
          const at = (ms: number) => new Date(ms).toISOString();
          const completionStartTime = ttftMs === null ? null : at(startedMs + ttftMs);
          return { ...kind.of, ...more, startTime: at(startedMs), endTime: at(endedMs), completionStartTime };
        });
        assert.deepEqual(
          expected.map((_, at) => lines.read(at)),
          expected,
        );
        // As the thread of the embedded database puts them together.
        const sent = lines.texts();
        const shared = JSON.parse(sent.shared) as readonly (readonly unknown[])[];
        const rows = (JSON.parse(sent.lists) as readonly (readonly unknown[])[]).map((own) => [
          ...own.slice(0, -1),
          ...shared[own.at(-1) as number]!,
        ]);
        assert.deepEqual(
          rows,
          expected.map((_, at) => JSON.parse(lines.whole(at))),
        );
        assert.ok(rows.every((it) => it.length === names.length));
      }),
      { numRuns: 200 },
    );
  });
});
