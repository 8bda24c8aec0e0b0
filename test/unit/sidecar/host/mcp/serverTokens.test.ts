import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { RunningServer, type ServerToken } from '../../../../../sidecar/host/mcp/runningServer.ts';
import type { Children, LeashedChild } from '../../../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import type { McpAuthRequirement } from '../../../../../sidecar/protocol/channels/chat/toolCalls.ts';
import { later } from '../../../../support/later.ts';

const definition = { name: 'mine', raw: { command: process.execPath }, folder: '/' };
const needs = (...requiredScopes: string[]) => ({ requiredScopes }) as unknown as McpAuthRequirement;
const token = (value: string, scopes?: readonly string[]): ServerToken => ({
  value,
  ...(scopes && { scopes }),
  refused: () => undefined,
});

describe('a server of a session whose program does not start', () => {
  let server: RunningServer;
  let states: string[];
  let toolChanges: number;
  let spawn: () => Promise<LeashedChild>;
  beforeEach(() => {
    [states, toolChanges] = [[], 0];
    spawn = () => later<LeashedChild>().promise;
    server = new RunningServer({
      name: 'mine',
      session: 's',
      timers: systemTimers,
      children: { spawn: () => spawn() } as Pick<Children, 'spawn'>,
      token: () => undefined,
      advertise: () => () => undefined,
      hide: () => undefined,
      report: (thrown) => assert.fail(String(thrown)),
      moved: (state) => states.push(state.kind === 'error' ? state.error.message : state.kind),
      toolsChanged: () => (toolChanges += 1),
    });
  });
  /** Whoever waits for a token: how that ended, once it did. */
  function waitFor(auth: McpAuthRequirement, signal: AbortSignal = new AbortController().signal) {
    const outcome = { is: 'open' };
    server.nextToken(auth, signal).then(
      () => (outcome.is = 'woken'),
      (thrown: Error) => (outcome.is = thrown.message),
    );
    return outcome;
  }
  const soon = () => new Promise((resolve) => void setImmediate(resolve));

  it('wakes those who wait for a token with one that is another and grants what each needs, as far as that is known', async () => {
    server.take(token('tried'));
    const [any, read, both] = [waitFor(needs()), waitFor(needs('read')), waitFor(needs('read', 'write'))];
    const now = async () => {
      await soon();
      return [any.is, read.is, both.is];
    };
    server.take(token('tried', ['read', 'write']));
    assert.deepEqual(await now(), ['open', 'open', 'open'], 'it is the one that was tried');
    server.take(token('next', ['read']));
    assert.deepEqual(await now(), ['woken', 'woken', 'open']);
    server.take(token('third', ['write']));
    assert.deepEqual(await now(), ['woken', 'woken', 'open']);
    server.take(token('fourth'));
    assert.deepEqual(await now(), ['woken', 'woken', 'woken']);
    assert.deepEqual([states, toolChanges], [[], 0], 'it was never wanting: it is not started by that');
  });

  it('lets those go who wait for a token when they give up or it stops', async () => {
    const abort = new AbortController();
    const [gaveUp, stays] = [waitFor(needs(), abort.signal), waitFor(needs())];
    abort.abort(new Error('given up'));
    await soon();
    assert.deepEqual([gaveUp.is, stays.is], ['given up', 'open']);
    assert.equal((await waitForRejection(AbortSignal.abort(new Error('before')))).message, 'before');
    await server.stop();
    await soon();
    assert.equal(stays.is, 'The server "mine" was stopped.');
  });
  const waitForRejection = (signal: AbortSignal) =>
    server.nextToken(needs(), signal).then(
      () => assert.fail('it was given one'),
      (thrown: Error) => thrown,
    );

  it('is started for another definition than before, and for none while a person has it stopped', () => {
    assert.equal(server.define(definition, {}), true);
    assert.equal(server.define({ ...definition }, { OTHER: 'env' }), false);
    assert.equal(server.define({ ...definition, folder: '/other' }, {}), true);
    assert.equal(server.define(undefined, {}), true);
    assert.equal(server.define(undefined, {}), false);
    server.hold();
    assert.equal(server.define(definition, {}), false);
    server.start();
    assert.equal(server.define(definition, {}), false);
    assert.equal(server.define({ ...definition, folder: '/other' }, {}), true);
  });

  it('says why, once, and not where it was stopped or started anew meanwhile', async () => {
    server.start();
    await server.settled;
    assert.deepEqual(states, ['starting', 'The server is no longer defined in its configuration file.']);
    states = [];
    const [first, second] = [later<LeashedChild>(), later<LeashedChild>()];
    const spawned = [first, second];
    spawn = () => spawned.shift()!.promise;
    server.define(definition, {});
    server.start();
    while (spawned.length > 1) await soon();
    server.start();
    while (spawned.length > 0) await soon();
    first.reject(new Error('the first one fails'));
    await soon();
    second.reject(new Error('the second one fails'));
    await server.settled;
    assert.deepEqual(states, ['starting', 'starting', 'the second one fails']);
    states = [];
    const third = later<LeashedChild>();
    spawn = () => third.promise;
    server.start();
    await soon();
    server.hold();
    server.hold();
    third.reject(new Error('too late'));
    await server.settled;
    assert.deepEqual(states, ['starting', 'stopped']);
    await assert.rejects(server.call('x', {}, new AbortController().signal), {
      message: 'The MCP server "mine" is not running.',
    });
  });
});
