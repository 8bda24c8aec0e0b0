import type { ToolDefinition } from '../../../sidecar/gateway/guardrails/call.ts';
import { type Guardrails, openGuardrails } from '../../../sidecar/gateway/guardrails/guardrails.ts';
import type { Drift } from '../../../sidecar/gateway/guardrails/pins/toolPin.ts';
import type { FetchJwks } from '../../../sidecar/gateway/guardrails/signer/incoming.ts';
import type { Guardrail } from '../../../sidecar/protocol/gateway/guardrail.ts';
import { SetClock } from '../backends/setClock.ts';
import { keepingLog } from '../testLog.ts';
import { MemoryKeys, MemoryPins } from './memoryStores.ts';

export interface GuardrailsUnderTest {
  readonly guardrails: Guardrails;
  /** What is configured: change it as an admin would. */
  configured: readonly Guardrail[];
  /** What every server lists when it is asked. */
  tools: readonly ToolDefinition[];
  readonly drifts: Drift[];
  readonly keys: MemoryKeys;
  readonly pins: MemoryPins;
  readonly clock: SetClock;
  readonly lines: readonly string[];
}

/** Guardrails with stores in memory and a clock that stands still. */
export function guardrailsUnderTest(
  configured: readonly Guardrail[],
  more: {
    readonly shared?: Pick<GuardrailsUnderTest, 'keys' | 'pins' | 'clock'>;
    readonly signingKeys?: readonly string[];
    readonly fetchJwks?: FetchJwks;
    /** What the service answers. Default: that every call is refused. */
    readonly service?: (body: string) => string;
  } = {},
): GuardrailsUnderTest {
  const { log, lines } = keepingLog();
  const { keys, pins, clock } = more.shared ?? {
    keys: new MemoryKeys(),
    pins: new MemoryPins(),
    clock: new SetClock(),
  };
  let count = 0;
  const under: Omit<GuardrailsUnderTest, 'guardrails'> = {
    configured,
    tools: [],
    drifts: [],
    keys,
    pins,
    clock,
    lines,
  };
  const guardrails = openGuardrails({
    guardrails: () => under.configured,
    keyStore: keys,
    ...(more.signingKeys && { signingKeys: more.signingKeys }),
    issuer: () => 'https://gateway.example',
    fetchJwks: more.fetchJwks ?? (() => Promise.reject(new Error('nobody should be asked for keys'))),
    pinStore: pins,
    onDrift: (drift) => void under.drifts.push(drift),
    service: {
      post: (_target, _headers, body) =>
        Promise.resolve({ status: 200, text: more.service?.(body) ?? '{"action":"block"}' }),
      secretOf: () => Promise.resolve('secret'),
    },
    listTools: () => Promise.resolve(under.tools),
    newId: () => `id-${(count += 1)}`,
    clock,
    log,
  });
  return Object.assign(under, { guardrails });
}
