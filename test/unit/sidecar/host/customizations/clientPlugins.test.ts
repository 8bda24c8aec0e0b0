import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import type { PluginCustomization } from '../../../../../sidecar/protocol/channels/session/customizations.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ResponseError } from '../../../../../sidecar/transport/responseError.ts';
import { offer } from '../../../../support/host/clientTools.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { openWorkspace } from '../../../../support/host/workspace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const ROOT_URI = 'virtual://c1/plugin';

describe('plugins that a client publishes', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  const turns: TurnRequest[] = [];

  /** A client that holds files in memory, and says which were asked for. */
  async function open(files: Record<string, string>) {
    turns.length = 0;
    place = await openHostPlace([
      scriptedProvider(async function* (turn) {
        turns.push(turn);
      }),
    ]);
    const peer = await place.connect('c1');
    const asked: string[] = [];
    const missing = () => {
      throw new ResponseError(-32008, 'there is no such thing');
    };
    peer.peer.onRequest({
      resourceList(params) {
        const { uri } = params as { uri: string };
        const below = Object.keys(files).flatMap((it) => (it.startsWith(`${uri}/`) ? [it.slice(uri.length + 1)] : []));
        if (below.length === 0) return missing();
        const names = [...new Set(below.map((it) => it.split('/')[0]!))];
        const type = (name: string) => (below.includes(name) ? 'file' : 'directory');
        return { entries: names.map((name) => ({ name, type: type(name) })) };
      },
      resourceRead(params) {
        const { uri } = params as { uri: string };
        asked.push(uri);
        const text = files[uri];
        if (text === 'denied') throw new ResponseError(-32009, 'not for you');
        if (text === undefined) return missing();
        return { data: Buffer.from(text).toString('base64'), encoding: 'base64' };
      },
    });
    return { peer, asked, ...(await peer.newSession()) };
  }
  const plugin = (more: object = {}) => ({
    type: 'plugin',
    id: 'p',
    uri: ROOT_URI,
    name: 'Mine',
    enabled: true,
    ...more,
  });
  const publish = (peer: HostPeer, session: string, ...customizations: object[]) =>
    offer(peer, session, [], { customizations });
  const plugins = (peer: HostPeer, session: string) =>
    (peer.session(session).customizations ?? []) as unknown as PluginCustomization[];
  const expanded = async (peer: HostPeer, session: string) => {
    await peer.until(() => plugins(peer, session)[0]?.children !== undefined);
    return plugins(peer, session)[0]!;
  };

  it('are expanded from where they lie, under an id of the host and with the client named', async () => {
    verifies('host.session.client-plugins', 'host.client.virtual-plugins');
    const { peer, session } = await open({
      [`${ROOT_URI}/.plugin/plugin.json`]: '{"name": "Real name", "version": "3"}',
      [`${ROOT_URI}/agents/a.md`]: '---\ndescription: First\n---\nBe A.',
      [`${ROOT_URI}/skills/s/SKILL.md`]: 'S.',
    });
    await publish(peer, session, plugin({ nonce: '1' }));
    const { id, children, ...rest } = await expanded(peer, session);
    assert.deepEqual(rest, {
      type: 'plugin',
      uri: ROOT_URI,
      name: 'Real name',
      version: '3',
      enabled: true,
      clientId: 'c1',
      load: { kind: 'loaded' },
    });
    assert.notEqual(id, 'p');
    assert.deepEqual(
      children?.map((it) => [it.type, it.name, it.uri]),
      [
        ['agent', 'a', `${ROOT_URI}/agents/a.md`],
        ['skill', 's', `${ROOT_URI}/skills/s/SKILL.md`],
      ],
    );
    const loads = peer.envelopes.flatMap(({ action }) =>
      action.type === 'session/customizationUpdated'
        ? [(action as unknown as { customization: PluginCustomization }).customization.load?.kind]
        : [],
    );
    assert.deepEqual(loads, ['loading', 'loaded']);
    assert.deepEqual(peer.session(session).activeClients[0]?.customizations, [plugin({ nonce: '1' })]);
  });

  it('are read again when their nonce is another one, and not while it is the same', async () => {
    const files = { [`${ROOT_URI}/agents/a.md`]: 'A.' } as Record<string, string>;
    const { peer, asked, session } = await open(files);
    await publish(peer, session, plugin({ nonce: '1' }));
    await expanded(peer, session);
    const before = asked.length;
    files[`${ROOT_URI}/agents/b.md`] = 'B.';
    await publish(peer, session, plugin({ nonce: '1' }));
    await publish(peer, session, plugin({ nonce: '2' }));
    await peer.until(() => plugins(peer, session)[0]?.children?.length === 2);
    const reads = asked.slice(before);
    assert.equal(reads.filter((it) => it.endsWith('/agents/a.md')).length, 1);
  });

  it('go when the client offers them no more, and when it leaves; and come back with it', async () => {
    const { peer, session } = await open({ [`${ROOT_URI}/agents/a.md`]: 'A.' });
    await publish(peer, session, plugin({ nonce: '1' }));
    await expanded(peer, session);
    await publish(peer, session);
    await peer.until(() => plugins(peer, session).length === 0);
    await publish(peer, session, plugin({ nonce: '1' }));
    await expanded(peer, session);
    await peer.act(session, { type: 'session/activeClientRemoved', clientId: 'c1' } as AnyAction);
    await peer.until(() => plugins(peer, session).length === 0);
    const types = peer.envelopes.map((it) => it.action.type);
    assert.ok(types.lastIndexOf('session/activeClientRemoved') < types.lastIndexOf('session/customizationRemoved'));
    await publish(peer, session, plugin({ nonce: '1' }));
    await expanded(peer, session);
  });

  it('say what could not be read of them', async () => {
    const { peer, session } = await open({
      [`${ROOT_URI}/agents/a.md`]: 'denied',
      [`${ROOT_URI}/agents/b.md`]: 'B.',
    });
    await publish(peer, session, plugin());
    const { load, children } = await expanded(peer, session);
    assert.deepEqual([load, children?.length], [{ kind: 'degraded', message: 'agents/a.md: not for you' }, 1]);
  });

  it('of a client that cannot be asked are in error', async () => {
    const { session } = await open({});
    const mute = await place.connect('c2');
    await mute.subscribe(session);
    await publish(mute, session, plugin());
    const { load, children } = await expanded(mute, session);
    assert.deepEqual([load?.kind, children], ['error', []]);
  });

  it('on disk are read by the host, in the folders of the session alone', async () => {
    const { peer, asked } = await open({});
    const workspace = openWorkspace({ 'plug/agents/a.md': 'A.' });
    const outside = openWorkspace({ 'agents/a.md': 'A.' });
    const { session } = await peer.newSession({ workingDirectories: [workspace.uri] });
    const uris = [
      workspace.uriOf('plug'),
      outside.uri,
      `${workspace.uri}/../${outside.path.split('/').at(-1)}`,
      'https://x.test/p',
    ];
    await publish(peer, session, ...uris.map((uri, n) => plugin({ id: `p${n}`, uri })));
    const own = () => plugins(peer, session).filter((it) => it.clientId === 'c1');
    await peer.until(() => own().length === 4 && own().every((it) => it.children !== undefined));
    const seen = own().map((it) => [it.load?.kind, it.children?.length]);
    assert.deepEqual(seen[0], ['loaded', 1]);
    assert.deepEqual(
      seen.slice(1).map(([, count]) => count),
      [0, 0, 0],
    );
    assert.deepEqual([seen[1]?.[0], seen[3]?.[0]], ['error', 'error']);
    assert.deepEqual(asked, []);
    workspace.remove();
    outside.remove();
  });

  for (const { says, files, more } of [
    {
      says: 'lies with it',
      files: {
        [`${ROOT_URI}/hooks/hooks.json`]: '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}',
      },
      more: {},
    },
    {
      says: 'it describes itself',
      files: {},
      more: { children: [{ type: 'hook', id: 'x', uri: `${ROOT_URI}/hooks/hooks.json`, name: 'Stop' }] },
    },
  ]) {
    it(`say why their hooks do not run, of a plugin that ${says}`, async () => {
      verifies('host.customization.client-hooks');
      const { peer, session } = await open(files as Record<string, string>);
      await publish(peer, session, plugin(more));
      const { load, children } = await expanded(peer, session);
      const message = (load as { message?: string } | undefined)?.message ?? '';
      assert.deepEqual(
        [
          load?.kind,
          /^Its hooks do not run because clients cannot start programs on the host machine\. Put the hooks in one of the session's folders/.test(
            message,
          ),
        ],
        ['degraded', true],
      );
      assert.deepEqual(
        children?.map((it) => [it.type, it._meta?.['refused']]),
        [['hook', message]],
      );
    });
  }

  it('may bring their children along, and their custom agents can be chosen', async () => {
    const uri = `${ROOT_URI}/agents/a.md`;
    const { peer, session, chat } = await open({ [uri]: '---\nname: A\n---\nBe A.' });
    await publish(peer, session, plugin({ children: [{ type: 'agent', id: 'x', uri, name: 'A' }] }));
    await expanded(peer, session);
    const message = { text: 'go', origin: { kind: 'user' }, agent: { uri } };
    await peer.act(chat, {
      type: 'chat/turnStarted',
      turnId: 't1',
      startedAt: '2026-01-01T00:00:00Z',
      message,
    } as AnyAction);
    await peer.ended(chat, 't1');
    assert.deepEqual(turns[0]?.customAgent, { name: 'A', instructions: 'Be A.' });
  });
});
