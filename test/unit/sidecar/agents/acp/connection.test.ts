import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { beforeEach, describe, it } from 'mocha';
import { type AgentConnection, type ClientHandlers, connect } from '../../../../../sidecar/agents/acp/connection.ts';
import type { AcpAgent } from '../../../../../sidecar/agents/acp/wellKnown.ts';
import type { SessionContext } from '../../../../../sidecar/agents/provider.ts';
import type { Children, LeashedChild } from '../../../../../sidecar/platform/children/children.ts';
import { memoryAcpAgent } from '../../../../support/agents/memoryAgent.ts';
import { type Later, later } from '../../../../support/later.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { contextIn } from '../../../../support/playTurn.ts';
import { until } from '../../../../support/until.ts';

const resource = 'https://api.example/';
const agentWith = (variable: string): AcpAgent => ({
  ...memoryAcpAgent,
  env: ['MEMORY_*'],
  protectedResources: [{ env: variable, metadata: { resource } as never }],
});

describe('the connection to an agent that speaks ACP', () => {
  let stdout: PassThrough;
  let exited: Later<{ code: number | null; signal: NodeJS.Signals | null }>;
  let received: { id?: number; method?: string }[];
  let updates: unknown[];
  let spawned: { env: Record<string, string> };
  let stderr: string;
  beforeEach(() => {
    [stdout, exited, received, updates, stderr] = [new PassThrough(), later(), [], [], ''];
  });
  const open = (more: Partial<SessionContext> = {}, variable = 'LOGIN'): Promise<AgentConnection> => {
    const stdin = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        for (const line of chunk.toString().split('\n').filter(Boolean)) received.push(JSON.parse(line));
        done();
      },
    });
    const child = {
      pid: 1,
      stdin,
      stdout,
      exited: exited.promise,
      stderrTail: () => stderr,
      stop: async () => undefined,
    };
    const children = {
      spawn: async (it: typeof spawned) => {
        spawned = it;
        return child as unknown as LeashedChild;
      },
    } as unknown as Children;
    const handlers = { update: (it: unknown) => void updates.push(it) } as Partial<ClientHandlers> as ClientHandlers;
    return connect(agentWith(variable), contextIn('/ws', more), { timers: new ManualTimers(), children }, handlers);
  };
  const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  const update = (name: string) => line({ method: 'session/update', params: { sessionId: 's', update: { name } } });
  const names = () => updates.map((it) => (it as { name: string }).name);

  for (const { says, chunks } of [
    { says: 'in one piece', chunks: [update('ä') + update('b') + update('c')] },
    { says: 'byte by byte', chunks: [...Buffer.from(update('ä') + update('b') + update('c'))].map((it) => [it]) },
    { says: 'cut in the middle of a line', chunks: [`${update('ä')}{"json`, update('b').slice(6), update('c')] },
    {
      says: 'with lines in between that are none',
      chunks: [`${update('ä')}Loading…\n`, `  ${update('b')}\n[1]\n${update('c')}`],
    },
  ]) {
    it(`hears messages in their order that come ${says}`, async () => {
      await open();
      for (const it of chunks) {
        stdout.write(typeof it === 'string' ? it : Buffer.from(it));
        while (stdout.readableLength > 0) await new Promise((resolve) => void setImmediate(resolve)); // read by itself
      }
      await until('the last one is heard', () => names().includes('c'));
      assert.deepEqual(names(), ['ä', 'b', 'c']);
    });
  }

  it('says how the agent ended to a request that is open when its output closes first', async () => {
    const connection = await open();
    const answer = connection.request('session/prompt', {});
    await until('it is asked', () => received.length > 0);
    stdout.end();
    await new Promise((resolve) => void setImmediate(resolve));
    stderr = 'one\ntwo\nthree\n\nfour\n \nfive\n';
    exited.resolve({ code: null, signal: 'SIGKILL' });
    const message = 'Memory stopped unexpectedly (terminated by SIGKILL): two\nthree\nfour\nfive';
    await assert.rejects(answer, { code: 'unavailable', message });
  });

  for (const { says, variable } of [
    { says: 'in a variable that it would not get else', variable: 'LOGIN' },
    { says: 'instead of a variable that it would get', variable: 'MEMORY_LOGIN' },
  ]) {
    it(`starts the agent with a pushed token ${says}, and repeats no value that was handed over by name`, async () => {
      const env = { [variable]: 'of the window', MEMORY_PLACE: 'by-name-1', OTHER: 'x' };
      const token = (it: string) => (it === resource ? 'pushed-token' : undefined);
      const connection = await open({ env, token }, variable);
      const got = ['MEMORY_PLACE', 'OTHER', variable].map((it) => spawned.env[it]);
      assert.deepEqual(got, ['by-name-1', undefined, 'pushed-token']);
      stderr = 'refused pushed-token of by-name-1';
      exited.resolve({ code: 1, signal: null });
      const ended = await connection.ended;
      assert.match(ended, /exit code 1\): refused /);
      assert.doesNotMatch(ended + connection.clean(stderr), /pushed-token|by-name-1/);
    });
  }
});
