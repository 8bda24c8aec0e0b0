import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { SessionSummary } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';

describe('what keeps a session from going on', () => {
  let place: HostPlace | undefined;
  afterEach(() => place?.close());

  it('is said in its state and in the list, with the way out, until a turn starts well', async () => {
    const terminal = { command: 'agent', args: ['login'], env: {}, label: 'Log in' };
    let isSignedIn = false;
    place = await openHostPlace([
      scriptedProvider(async function* () {
        if (!isSignedIn) throw new Fault('auth_required', 'Sign in first.', { data: { terminal } });
        yield { kind: 'text', partId: 'p', text: 'here' };
      }),
    ]);
    const peer = await place.connect();
    const { session, chat } = await peer.newSession({ workingDirectories: [`file://${place.dataDir}`] });
    const listed = async () => {
      const { items } = (await peer.request('root/listSessions', {})) as { items: SessionSummary[] };
      return items.find((it) => it.resource === session)?._meta;
    };

    await peer.ended(chat, await peer.prompt(chat, 'go'));
    const problem = {
      kind: 'signInNeeded',
      message: 'Sign in first.',
      login: { command: 'agent', args: ['login'], env: {} },
    };
    assert.deepEqual(peer.session(session)._meta, { problem });
    assert.deepEqual(await listed(), { problem });

    isSignedIn = true;
    await peer.ended(chat, await peer.prompt(chat, 'go'));
    assert.equal(peer.session(session)._meta, undefined);
    assert.equal(await listed(), undefined);
  });
});
