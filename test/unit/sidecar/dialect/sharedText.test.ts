import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { AhpAdapter } from '../../../../sidecar/dialect/ahpAdapter.ts';
import { AhpAdapters } from '../../../../sidecar/dialect/ahpAdapters.ts';
import { SharedNotification } from '../../../../sidecar/transport/wireText.ts';
import { verifies } from '../../../support/verifies.ts';
import { hear, introduction, openAdapter, tell, tellState } from './openAdapter.ts';

const ahpAdapters = () => new AhpAdapters(introduction);
/** A client that knows whose session this is. */
function knowing(provider: string, version = '0.9.0'): AhpAdapter {
  const face = openAdapter(version, ahpAdapters());
  hear(face, { id: 5, method: 'subscribe', params: { channel: `${provider}:/u` } });
  tell(face, { id: 5, result: { snapshot: { resource: 'host-session:/u', state: { provider }, fromSeq: 1 } } });
  return face;
}
const action = (channel: string, it: object, more: object = {}) =>
  new SharedNotification('action', { channel, action: it, serverSeq: 7, ...more });
const titled = () => action('host-session:/u', { type: 'session/titleChanged', title: 'x' });
const textOf = (face: AhpAdapter, notification: SharedNotification) => face.shared(notification)?.text;

describe('a notification for many clients of the public protocol', () => {
  it('is written once for those of one version that call its channels the same', () => {
    verifies('host.public.shared-text');
    const notification = titled();
    const [one, two] = [knowing('claude'), knowing('claude')];
    assert.ok(one.shared(notification));
    assert.equal(one.shared(notification), two.shared(notification));
  });

  it('is written for each name that its clients have for a channel', () => {
    verifies('host.public.shared-text');
    const notification = titled();
    const texts = ['claude', 'codex', 'claude'].map((it) => textOf(knowing(it), notification));
    assert.deepEqual(
      texts.map((it) => (JSON.parse(it!) as { params: { channel: string } }).params.channel),
      ['claude:/u', 'codex:/u', 'claude:/u'],
    );
  });

  it('is written for each version', () => {
    verifies('host.public.shared-text');
    const failed = action('host-chat:/c', {
      type: 'chat/error',
      turnId: 't',
      error: { message: 'no', errorType: 'x' },
    });
    const [newer, older] = [textOf(openAdapter('0.9.0'), failed), textOf(openAdapter('0.8.0'), failed)];
    assert.notEqual(newer, older);
    assert.deepEqual([textOf(openAdapter('0.8.0'), failed), textOf(openAdapter('0.9.0'), failed)], [older, newer]);
  });

  it('is left out for each client whose version has no such thing', () => {
    verifies('host.public.shared-text');
    const request = { kind: 'toolAuthentication', id: 'r' };
    const asked = action('host-session:/u', { type: 'session/inputNeededSet', request });
    const texts = ['0.5.1', '0.9.0', '0.5.1'].map((it) => textOf(knowing('claude', it), asked));
    assert.deepEqual(
      texts.map((it) => it === undefined),
      [true, false, true],
    );
  });

  it('is written for each default chat that its clients know of a session that holds a terminal', () => {
    verifies('host.public.shared-text');
    const claim = { kind: 'session', session: 'host-session:/u', toolCallId: 'c' };
    const claimed = action('host-terminal:/t', { type: 'terminal/claimed', claim });
    const shown = (defaultChat: string) => {
      const face = openAdapter('0.9.0');
      tellState(face, 'host-session:/u', { provider: 'claude', defaultChat });
      return textOf(face, claimed);
    };
    const [one, two] = [shown('host-chat:/1'), shown('host-chat:/2')];
    assert.notEqual(one, two);
    assert.equal(shown('host-chat:/1'), one);
  });

  it('teaches each of them where it names agents, settings or a default chat', () => {
    verifies('host.public.shared-text');
    const [one, two] = [knowing('claude'), knowing('claude')];
    const moved = action('host-session:/u', { type: 'session/defaultChatChanged', defaultChat: 'host-chat:/9' });
    for (const face of [one, two]) {
      face.shared(moved);
      const asked = { jsonrpc: '2.0', id: 9, method: 'completions', params: { channel: 'claude:/u' } };
      assert.deepEqual((face.fromClient(asked).toHost!['params'] as { channel: string }).channel, 'host-chat:/9');
    }
  });

  it('counts for each of them as the newest that it has', () => {
    verifies('host.public.shared-text');
    const notification = titled();
    const faces = [knowing('claude'), knowing('claude')];
    for (const face of faces) face.shared(notification);
    const params = { channel: 'ahp-root://', clientSeq: 1, action: { type: 'root/configChanged', config: { own: 1 } } };
    for (const face of faces) {
      const { toClient } = face.fromClient({ jsonrpc: '2.0', method: 'dispatchAction', params });
      assert.equal((toClient!['params'] as { serverSeq: number }).serverSeq, 7);
    }
  });
});
