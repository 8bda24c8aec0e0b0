import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { ToolDecision } from '../../../../../sidecar/agents/provider.ts';
import { PendingAnswers } from '../../../../../sidecar/host/context/pendingAnswers.ts';
import type { OfferedDeps } from '../../../../../sidecar/host/tools/callSteps.ts';
import { offeredCalls } from '../../../../../sidecar/host/tools/offeredCalls.ts';
import type { TurnWriter } from '../../../../../sidecar/host/tools/turnWriter.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { later } from '../../../../support/later.ts';

const clientTool = { name: 'count', inputSchema: { type: 'object' } };
const serverTool = { name: 'lookup', _meta: { customizationId: 'm1', server: 'books', name: 'look up' } };
const session = {
  serverTools: [serverTool],
  activeClients: [{ clientId: 'c1', tools: [clientTool] }],
};
const auth = (reason: 'required' | 'insufficientScope', requiredScopes: readonly string[] = []) =>
  ({ kind: 'auth', auth: { reason, resource: { resource: 'r' }, requiredScopes } }) as const;
const result = { success: true, content: [{ kind: 'text', text: '42' }] } as const;

describe('a call of a tool that a session offers', () => {
  let did: string[];
  let call: object;
  let decision: ToolDecision;
  let written: Promise<unknown>;
  let answers: unknown[];
  let token: Promise<void>;
  let turn: AbortController;
  let steps: PendingAnswers<void>;
  let waits: AbortSignal[];
  beforeEach(() => {
    did = [];
    decision = { allow: true };
    written = Promise.resolve();
    answers = [];
    token = Promise.resolve();
    turn = new AbortController();
    steps = new PendingAnswers();
    waits = [];
    call = { toolCallId: 'id', status: 'completed', success: true, content: [{ type: 'text', text: '42' }] };
  });
  const use = (name: string) => {
    const deps = {
      effects: {
        store: {
          settled: () => written,
          state: (kind: string) =>
            kind === 'session'
              ? session
              : { activeTurn: { id: 't', responseParts: [{ kind: 'toolCall', toolCall: call }] } },
        },
        newId: () => 'id',
        report: (_id: string, thrown: unknown) => void did.push(`reported ${String(thrown)}`),
      },
      session: 's',
      chat: 'c',
      turnId: 't',
      starter: undefined,
      allowed: undefined,
      writer: {
        toolStarted: (_event: object, contributor?: { kind: string }) => void did.push(`started ${contributor?.kind}`),
        toolEnded: ({ success, error }: { success: boolean; error?: string }) =>
          void did.push(`ended ${success} ${error ?? ''}`.trim()),
        commit: ({ type }: { type: string }) => void did.push(type),
      } as unknown as TurnWriter,
      keep: async () => [],
      async confirm(_facts: object, ruleName: string, introduce: (isDenied: boolean) => void) {
        did.push(`asked about ${ruleName}`);
        introduce(!decision.allow);
        return decision;
      },
      over: async (toolCallId: string, { success }: { success: boolean }) => {
        await Promise.resolve();
        did.push(`over ${toolCallId} ${success}`);
      },
      steps,
      servers: async () => ({
        async call() {
          const next = answers.shift();
          if (next instanceof Error) throw next;
          return next;
        },
        tokenFor: (_session: string, id: string, _auth: unknown, signal: AbortSignal) => {
          did.push(`token for ${id}`);
          waits.push(signal);
          return token;
        },
      }),
    } as unknown as OfferedDeps;
    return offeredCalls(deps, turn.signal).call(name, { n: 1 });
  };

  it('is known to hooks before the agent has its result, by whomever it is run', async () => {
    assert.deepEqual(await use('count'), result);
    assert.deepEqual(did, ['asked about client:count', 'started client', 'over id true']);
    did.length = 0;
    answers = [{ kind: 'result', result }];
    assert.equal(await use('lookup'), result);
    assert.deepEqual(did, ['asked about mcp:books/look up', 'started mcp', 'ended true', 'over id true']);
  });

  it('that is denied is run by nobody, and hooks hear nothing of it', async () => {
    decision = { allow: false, reason: 'not now' };
    for (const name of ['count', 'lookup'])
      assert.deepEqual(await use(name), { success: false, content: [], error: 'not now' });
    assert.deepEqual(
      did.filter((it) => it.startsWith('started')),
      ['started undefined', 'started undefined'],
    );
    assert.equal(
      did.some((it) => it.startsWith('over')),
      false,
    );
  });

  it('has its result once that is on disk, and none where the turn was stopped meanwhile', async () => {
    const disk = later<void>();
    written = disk.promise;
    let isOver = false;
    const used = use('count').finally(() => (isOver = true));
    await new Promise(setImmediate);
    assert.equal(isOver, false);
    disk.resolve();
    assert.deepEqual(await used, result);
    written = later<void>().promise;
    const second = later<void>();
    written = second.promise;
    const stopped = assert.rejects(use('count'), /stopped/);
    turn.abort(new Error('stopped'));
    second.resolve();
    await stopped;
  });

  it('asks for a token as often as a server wants another one, and once for the same rights', async () => {
    const more = auth('insufficientScope', ['write']);
    answers = [auth('required'), more, auth('insufficientScope', ['write', 'all']), more];
    assert.match(
      (await use('lookup')).error ?? '',
      /^books rejected the call even with the token it requested \(write\)/,
    );
    assert.deepEqual(did.filter((it) => it.startsWith('token')).length, 3);
    assert.deepEqual(did.slice(-2), [
      'ended false books rejected the call even with the token it requested (write).',
      'over id false',
    ]);
    assert.deepEqual(
      waits.map((it) => it.aborted),
      [true, true, true],
    );
  });

  it('is given up when a person gives up, and waits for no token then', async () => {
    token = later<void>().promise;
    token.catch(() => undefined);
    const own = later<void>();
    token = own.promise;
    answers = [auth('required')];
    call = { toolCallId: 'id', status: 'cancelled' };
    const used = use('lookup');
    await new Promise(setImmediate);
    assert.equal(waits[0]?.aborted, true);
    own.reject(new Error('nobody waits'));
    assert.match((await used).error ?? '', /withheld/);
  });

  it('that a server fails ends with the reason, and with none where its turn was stopped', async () => {
    answers = [new Fault('unavailable', 'The server is away.')];
    assert.equal((await use('lookup')).error, 'The server is away.');
    did.length = 0;
    answers = [new Fault('unavailable', 'The server is away.')];
    const stopped = assert.rejects(use('lookup'), /stopped/);
    turn.abort(new Error('stopped'));
    await stopped;
    assert.deepEqual(
      did.filter((it) => !it.startsWith('asked') && !it.startsWith('started')),
      [],
    );
  });
});
