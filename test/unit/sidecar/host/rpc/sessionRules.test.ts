import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { channelOf } from '../../../../../sidecar/protocol/channels/index.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const modes = [
  { id: 'ask', label: 'Ask first' },
  { id: 'plan', label: 'Plan only' },
];
const agent = scriptedProvider(
  async function* (turn) {
    yield { kind: 'text', partId: 'a', text: turn.text };
  },
  { options: { models: [], properties: [{ id: 'mode', title: 'Mode', values: modes, value: 'ask' }], commands: [] } },
);
const titled = (title: string) => ({ type: 'session/titleChanged', title }) as AnyAction;

describe('a session', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  const open = async () => {
    place = await openHostPlace([agent]);
    return place.connect();
  };

  it('and its channels answer snapshots that are states of their kind', async () => {
    verifies('host.session.default-chat');
    const peer = await open();
    const { session, chat } = await peer.newSession();
    await peer.ended(chat, await peer.prompt(chat, 'hello'));
    for (const uri of [ROOT, session, chat]) {
      const state = await peer.subscribe(uri);
      assert.deepEqual(channelOf(uri)?.state.safeParse(state).error, undefined, uri);
    }
    assert.equal(peer.session(session).defaultChat, chat);
  });

  it('is heard no more by who does not want to hear it', async () => {
    verifies('host.command.unsubscribe');
    const peer = await open();
    const { session } = await peer.newSession();
    const other = await place.connect('c2');
    await other.subscribe(session);
    await peer.act(session, titled('Heard'));
    await other.until(() => other.session(session).title === 'Heard');
    const before = other.envelopes.length;
    other.peer.sendNotification('unsubscribe', { channel: session });
    await other.request('ping', {});
    await peer.act(session, titled('Not heard'));
    await other.request('ping', {});
    assert.equal(other.envelopes.length, before);
  });

  it('that changes is told of in the list', async () => {
    verifies('host.event.summary-changed', 'host.summary.in-step');
    const peer = await open();
    const { session, chat } = await peer.newSession();
    await peer.ended(chat, await peer.prompt(chat, 'hello'));
    await peer.until(() => peer.notified.some((it) => it.method === 'root/sessionAdded'));
    await peer.act(session, titled('Another name'));
    const told = () =>
      peer.notified.some(
        ({ method, params }) =>
          method === 'root/sessionSummaryChanged' &&
          params['session'] === session &&
          (params['changes'] as { title?: string }).title === 'Another name',
      );
    await peer.until(told);
    const { items } = await peer.request('root/listSessions', {});
    assert.equal(items[0]?.title, 'Another name');
  });

  it('that could not be created says why', async () => {
    verifies('host.error.creation');
    const refuse = async () => {
      throw new Fault('command_missing', 'scripted was not found');
    };
    place = await openHostPlace([{ ...agent, open: refuse }]);
    const peer = await place.connect();
    const { session } = await peer.newSession();
    const { lifecycle, creationError } = peer.session(session);
    assert.deepEqual(
      [lifecycle, creationError],
      ['creationFailed', { errorType: 'commandMissing', message: 'scripted was not found' }],
    );
  });

  it('has the settings of its agent, with the values that were chosen, and changes those that may change', async () => {
    verifies('host.command.resolveSessionConfig', 'host.config.session-mutable', 'host.session.config');
    const peer = await open();
    const dial = { 'switchboard.permissions': 'ask', 'switchboard.sandbox': 'off' };
    const { schema, values } = await peer.request('resolveSessionConfig', {});
    assert.deepEqual(values, { mode: 'ask', ...dial });
    assert.equal(schema.properties['mode']?.sessionMutable, true);
    const chosen = await peer.request('resolveSessionConfig', { config: { mode: 'plan', unknown: 1 } });
    assert.deepEqual([chosen.values, chosen.schema], [{ mode: 'plan', ...dial }, schema]);
    const { session } = await peer.newSession({ config: chosen.values });
    assert.deepEqual(peer.session(session).config, chosen);
    const set = (config: object) => peer.act(session, { type: 'session/configChanged', config } as AnyAction);
    assert.equal((await set({ mode: 'ask' })).rejectionReason, undefined);
    assert.deepEqual(peer.session(session).config?.values, { mode: 'ask', ...dial });
    assert.equal((await set({ mode: 'yolo' })).rejectionReason, 'config.mode: is not one of the choices');
    assert.equal((await set({ mode: 1 })).rejectionReason, 'config.mode: must be a string');
  });

  it('of an agent that works in one folder keeps the first, and never changes it', async () => {
    verifies('host.capability.directories-fixed');
    const peer = await open();
    const root = `file://${place.dataDir}`;
    const { session, chat } = await peer.newSession({ workingDirectories: [root, 'file:///elsewhere'] });
    assert.deepEqual(peer.session(session).workingDirectories, [root]);
    for (const [channel, type] of [
      [session, 'session/workingDirectorySet'],
      [session, 'session/workingDirectoryRemoved'],
      [chat, 'chat/workingDirectorySet'],
      [chat, 'chat/workingDirectoryRemoved'],
    ] as const) {
      const { rejectionReason } = await peer.act(channel, { type, directory: root } as AnyAction);
      assert.match(rejectionReason ?? '', /one folder/, type);
    }
    assert.deepEqual(peer.session(session).workingDirectories, [root]);
  });
});
