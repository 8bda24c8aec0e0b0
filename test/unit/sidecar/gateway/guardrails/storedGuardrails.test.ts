import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  StoredGuardrails,
  type StoredGuardrailsDeps,
} from '../../../../../sidecar/gateway/guardrails/storedGuardrails.ts';
import type { GuardrailRecord } from '../../../../../sidecar/protocol/gateway/guardrail.ts';
import { guardrail } from '../../../../support/guardrails/calls.ts';
import { later } from '../../../../support/later.ts';
import { HeldTimers } from '../../../../support/mcp/heldTimers.ts';
import { keepingLog } from '../../../../support/testLog.ts';

const record = (name: string): GuardrailRecord => ({
  ...guardrail(name, { guardrail: 'secret_redaction', mode: 'pre_mcp_call', action: 'block' }),
  position: 1,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  created_by: 'admin',
  updated_by: 'admin',
});

describe('the guardrails that administrators made', () => {
  it('are those that were read last, in whatever order the readings end', async () => {
    const [earlier, newer] = [later<GuardrailRecord[]>(), later<GuardrailRecord[]>()];
    const readings = [earlier.promise, newer.promise];
    const store = { changes: { listen: () => () => undefined }, guardrail: { all: () => readings.shift() } };
    const stored = new StoredGuardrails({
      store: store as unknown as StoredGuardrailsDeps['store'],
      timers: new HeldTimers(),
      log: keepingLog().log,
    });
    const both = [stored.read(), stored.read()];
    newer.resolve([record('kept'), record('new')]);
    await both[1];
    earlier.resolve([record('kept')]);
    await both[0];
    assert.deepEqual(
      stored.now().map((it) => it.guardrail_name),
      ['kept', 'new'],
    );
  });
});
