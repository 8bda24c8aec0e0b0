import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { HandlerDeps } from '../../../../../sidecar/host/effects/handlerDeps.ts';
import { sessionHandler } from '../../../../../sidecar/host/effects/handlers/session.ts';
import { status } from '../../../../../sidecar/protocol/status.ts';

const session = 'host-session:/1';

describe('what follows in the agents of a session', () => {
  let state: object;
  let running: string[];
  let did: unknown[];
  beforeEach(() => {
    [state, running, did] = [{}, [], []];
  });
  const handler = () =>
    sessionHandler({
      effectDeps: {
        store: { state: () => state },
        newId: () => 'id',
        report: (_id: string, thrown: unknown) => void did.push(`reported ${String(thrown)}`),
      },
      runtimes: {
        modes: { chose: (_session: string, config: object) => void did.push({ chose: config }) },
        get: (chat: string) => ({
          agent: {
            async configure(values: object) {
              did.push({ [chat]: values });
              if (chat === 'fails') throw new Error('it does not answer');
            },
          },
        }),
        close: async (chat: string) => void did.push(`closed ${chat}`),
      },
      turns: { isRunning: (chat: string) => running.includes(chat) },
    } as unknown as HandlerDeps).committed!;
  const chats = (...names: readonly string[]) => names.map((resource) => ({ resource }));

  it('that is put away is that those let go which do not run, and of none that is taken back', () => {
    running = ['busy'];
    state = { status: status.IsArchived, chats: chats('idle', 'busy') };
    handler()['session/isArchivedChanged']?.(session, {} as never, undefined, state as never);
    assert.deepEqual(did, ['closed idle']);
    state = { status: status.Idle, chats: chats('idle') };
    handler()['session/isArchivedChanged']?.(session, {} as never, undefined, state as never);
    assert.deepEqual(did, ['closed idle']);
  });

  it('that is configured is that each gets all values, or those alone that take the place of all', async () => {
    const schema = { type: 'object', properties: {} };
    state = { config: { schema, values: { model: 'old', mode: 'ask' } }, chats: chats('one', 'fails') };
    const config = { model: 'new' };
    const { 'session/configChanged': changed } = handler();
    changed?.(session, { config } as never, undefined, state as never);
    changed?.(session, { config, replace: true } as never, undefined, state as never);
    await new Promise(setImmediate);
    const merged = { model: 'new', mode: 'ask' };
    const [first, second] = [did.slice(0, 3), did.slice(3, 6)];
    assert.deepEqual(first, [{ chose: config }, { one: merged }, { fails: merged }]);
    assert.deepEqual(second, [{ chose: config }, { one: config }, { fails: config }]);
    assert.deepEqual(did.slice(6), Array(2).fill('reported Error: it does not answer'));
  });
});
