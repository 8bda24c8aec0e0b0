import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { SessionSummary } from '../../../../sidecar/protocol/channels/session/schema.ts';
import type { PendingRequest } from '../../../../src/client/attention.ts';
import { type Host, Hosts } from '../../../../src/client/hosts.ts';
import { Listeners } from '../../../../src/client/listeners.ts';
import { shellRequest, summary } from '../../../support/extensionStates.ts';

/** A host as far as a window passes things on to it. */
class Place {
  readonly sent: string[] = [];
  readonly held = new Set<string>();
  readonly sessions: SessionSummary[] = [];
  readonly pending: PendingRequest[] = [];
  readonly listed = new Listeners<{ kind: 'list' }>();
  readonly waits = new Listeners<void>();
  readonly connected = new Listeners<void>();
  readonly host: Host;

  constructor(id: string, name: string) {
    const client = {
      request: async (method: string, { channel }: { channel?: string }) =>
        void this.sent.push(`${method} ${channel ?? '-'}`),
      dispatch: (channel: string, { type }: { type: string }) => void this.sent.push(`${type} ${channel}`),
      open: (uri: string, options?: { turns?: number }) => {
        this.sent.push(`open ${uri} ${options?.turns ?? 'all'}`);
        return {};
      },
      holds: (uri: string) => this.held.has(uri),
      onDidConnect: (listener: () => void) => this.connected.add(listener),
    };
    const [sessions, pending] = [this.sessions, this.pending];
    const catalogue = {
      sessions,
      get: (uri: string) => sessions.find((it) => it.resource === uri),
      onDidChange: (listener: (change: { kind: 'list' }) => void) => this.listed.add(listener),
    };
    const attention = { pending, onDidChange: (listener: () => void) => this.waits.add(listener) };
    this.host = { id, name, client, catalogue, attention } as unknown as Host;
  }
}

describe('the hosts of a window', () => {
  let own: Place;
  let far: Place;
  let third: Place;
  let hosts: Hosts;
  beforeEach(() => {
    [own, far, third] = [new Place('', 'Here'), new Place('wss://far.test', 'Far'), new Place('wss://c.test', 'C')];
    hosts = new Hosts(own.host);
    hosts.setOthers([far.host, third.host]);
  });
  const session = (uuid: string, title = uuid) => summary({ resource: `host-session:/${uuid}`, title });

  for (const { knows, arrange, uris } of [
    {
      knows: 'has it in its list',
      arrange: () => void third.sessions.push(session('u')),
      uris: ['host-session:/u', 'host-chat:/u/c', 'host-changeset:/u/all'],
    },
    {
      knows: 'has no such session in its list yet, and somebody looks at the session there',
      arrange: () => void third.held.add('host-session:/u'),
      uris: ['host-session:/u', 'host-chat:/u/c', 'host-changeset:/u/compare/a/b'],
    },
    {
      knows: 'has the very channel open alone',
      arrange: () => void third.held.add('host-chat:/u/c'),
      uris: ['host-chat:/u/c'],
    },
  ]) {
    it(`send what belongs to a session to the host that ${knows}`, async () => {
      arrange();
      for (const uri of uris) {
        assert.equal(hosts.of(uri).id, 'wss://c.test', uri);
        await hosts.request('subscribe', { channel: uri });
        hosts.dispatch(uri, { type: 'session/isReadChanged' } as never);
        hosts.open(uri, { turns: 3 });
      }
      assert.deepEqual(
        third.sent,
        uris.flatMap((uri) => [`subscribe ${uri}`, `session/isReadChanged ${uri}`, `open ${uri} 3`]),
      );
      assert.deepEqual([own.sent, far.sent], [[], []]);
    });
  }

  it('send to this machine what nobody knows, and what names no channel', async () => {
    far.held.add('host-session:/other');
    for (const uri of ['host-session:/u', 'host-root://', 'nothing', '']) assert.equal(hosts.of(uri), own.host, uri);
    await hosts.request('root/listSessions', {});
    hosts.open('host-chat:/u/c');
    assert.deepEqual(own.sent, ['root/listSessions -', 'open host-chat:/u/c all']);
    let connects = 0;
    hosts.onDidConnect(() => (connects += 1));
    far.connected.fire();
    own.connected.fire();
    assert.equal(connects, 1);
  });

  it('are found by their address', () => {
    assert.deepEqual(
      ['', 'wss://far.test', 'wss://c.test', 'wss://gone.test'].map((id) => hosts.at(id)?.name),
      ['Here', 'Far', 'C', undefined],
    );
  });

  it('show the sessions of all and what waits on all, each with its host; alone, with none', () => {
    own.sessions.push(session('a'));
    far.sessions.push(session('b'));
    own.pending.push(shellRequest('true'));
    far.pending.push({ ...shellRequest('false'), key: 'host-session:/b#1', session: session('b') });
    const titles = () => hosts.sessions.map((it) => it.title);
    const waiting = () => hosts.attention.pending.map((it) => it.session.title);
    assert.deepEqual(titles(), ['a · Here', 'b · Far']);
    assert.deepEqual(waiting(), [`${own.pending[0]!.session.title} · Here`, 'b · Far']);
    assert.equal(hosts.attention.find('host-session:/b#1')?.session.title, 'b · Far');
    assert.equal(hosts.get('host-session:/b')?.title, 'b', 'as its host says it');
    hosts.setOthers([]);
    assert.deepEqual([titles(), waiting()], [['a'], [own.pending[0]!.session.title]]);
    assert.equal(hosts.attention.find('host-session:/b#1'), undefined);
  });

  it('notify of each once, for as long as it is one of them', () => {
    let [lists, questions] = [0, 0];
    hosts.onDidChange(() => (lists += 1));
    hosts.attention.onDidChange(() => (questions += 1));
    const counts = () => [lists, questions];
    const all = () => {
      for (const it of [own, far, third]) {
        it.listed.fire({ kind: 'list' });
        it.waits.fire();
      }
      const seen = counts();
      [lists, questions] = [0, 0];
      return seen;
    };
    assert.deepEqual(all(), [3, 3]);
    hosts.setOthers([far.host]);
    assert.deepEqual(counts(), [1, 1], 'the change of hosts itself');
    [lists, questions] = [0, 0];
    assert.deepEqual(all(), [2, 2]);
    hosts.setOthers([far.host, third.host]);
    [lists, questions] = [0, 0];
    assert.deepEqual(all(), [3, 3]);
    hosts.dispose();
    assert.deepEqual(all(), [0, 0]);
  });
});
