import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { ChannelNames, type UriRole } from '../../../../sidecar/dialect/channelNames.ts';

describe('the public names of channels', () => {
  for (const [place, named, host] of [
    ['channel', 'ahp-root://', 'host-root://'],
    ['channel', 'claude:/u1', 'host-session:/u1'],
    ['channel', 'claude:/u1/annotations', 'host-session:/u1/annotations'],
    ['channel', 'claude:/u1/changeset/session', 'host-changeset:/u1/session'],
    ['channel', 'claude:/u1/changeset/turn/t%201', 'host-changeset:/u1/turn/t%201'],
    ['other', 'claude:/u1/changeset/turn/{turnId}', 'host-changeset:/u1/turn/{turnId}'],
    ['session', 'claude:/u1', 'host-session:/u1'],
    ['channel', 'ahp-chat:/c1', 'host-chat:/c1'],
    ['chat', 'ahp-chat:/c1', 'host-chat:/c1'],
    ['channel', 'ahp-terminal:/t1', 'host-terminal:/t1'],
    ['channel', 'ahp-resource-watch:/w1', 'host-resource-watch:/w1'],
    ['other', 'ahp-content:/ab/a.txt', 'host-content:/ab/a.txt'],
    ['channel', 'ahp-automations://', 'host-automations://'],
    ['channel', 'ahp-automations:/', 'host-automations:/'],
    ['other', 'ahp-automation:/a1', 'host-automation:/a1'],
    ['channel', 'ahp-automation-run:/r1', 'host-automation-run:/r1'],
    ['channel', 'ahp-canvas:/v1', 'host-canvas:/v1'],
    ['channel', 'mcp://a/b', 'mcp://a/b'],
    ['other', 'file:///a/b', 'file:///a/b'],
    ['other', 'https://api.example/mcp', 'https://api.example/mcp'],
    ['other', 'other:/u1', 'other:/u1'],
  ] satisfies [UriRole, string, string][]) {
    it(`${named} is ${host} in the host, and back, where a ${place} is named`, () => {
      const names = new ChannelNames();
      names.learn('host-session:/u1', 'claude');
      assert.equal(names.toHost(named, place), host);
      assert.equal(names.toPublic(host), named);
    });
  }

  it('are those of the agent where the client did not name the session, and say that it is one where nobody did', () => {
    const names = new ChannelNames();
    assert.equal(names.toPublic('host-session:/u1'), 'ahp-session:/u1');
    assert.equal(names.toPublic('host-changeset:/u1/session'), 'ahp-changeset:/u1/session');
    names.learn('host-session:/u1', 'claude');
    assert.equal(names.toPublic('host-session:/u1'), 'claude:/u1');
    assert.equal(names.toHost('ahp-session:/u2', 'channel'), 'host-session:/u2');
    names.learn('host-session:/u2', 'claude');
    assert.equal(names.toPublic('host-session:/u2'), 'ahp-session:/u2');
    names.forget('host-session:/u1');
    assert.equal(names.toPublic('host-session:/u1'), 'ahp-session:/u1');
    assert.equal(names.toHost('codex:/u1', 'channel'), 'host-session:/u1');
    assert.equal(names.toPublic('host-session:/u1'), 'codex:/u1');
  });

  it('of chats may have any shape, and are the same for all clients and after a restart', () => {
    const shapes = ['ahp-chat://default/Y2xhdWRlOi8x', 'ahp-chat:/uri-abc', 'chat:anything at all', 'ahp-chat:/a/b'];
    for (const named of shapes) {
      const host = new ChannelNames().toHost(named, 'chat');
      assert.match(host, /^host-chat:\/uri-[\w-]+$/, named);
      const others = new ChannelNames();
      assert.equal(others.toPublic(host), named);
      assert.equal(others.toHost(named, 'channel'), host, named);
    }
  });

  it('of chats that look like sessions are chats once the client or the host said so', () => {
    const names = new ChannelNames();
    const host = names.toHost('odd:/c1', 'chat');
    assert.equal(names.toHost('odd:/c1', 'channel'), host);
    assert.equal(new ChannelNames().toHost('odd:/c1', 'channel'), 'host-session:/c1');
  });

  it('are never two for one channel, whatever a client calls it', () => {
    const id = fc.stringMatching(/^[\w%.~-]{1,20}$/);
    const place = fc.constantFrom<UriRole>('channel', 'chat', 'session', 'other');
    const scheme = fc.oneof(fc.constantFrom('claude', 'x-1', 'ahp-chat', 'ahp-terminal', 'ahp-session'), id);
    const uri = fc
      .tuple(scheme, fc.constantFrom(':/', '://', ':'), id, fc.constantFrom('', '/annotations', '/changeset/session'))
      .map((it) => it.join(''))
      .filter((it) => !it.startsWith('host-'));
    fc.assert(
      fc.property(uri, place, (named, where) => {
        const names = new ChannelNames();
        assert.equal(names.toPublic(names.toHost(named, where)), named);
      }),
      { examples: [['ahp-session:/u/changeset/session', 'other']] },
    );
  });
});
