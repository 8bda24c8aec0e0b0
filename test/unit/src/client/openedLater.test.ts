import assert from 'node:assert/strict';
import { it } from 'mocha';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../../../sidecar/protocol/envelope.ts';
import { HostClient } from '../../../../src/client/hostClient.ts';
import { FakeHost } from '../../../support/fakeHost.ts';
import { later } from '../../../support/later.ts';
import { emptySession } from '../../../support/protocol/arbitraryActions.ts';

const session = 'host-session:/1';

it('A view that is opened later shows what was dispatched to its channel before, while the host has not answered it', async () => {
  const host = new FakeHost();
  host.states.set(session, emptySession);
  const client = new HostClient({
    clientId: 'c1',
    now: () => '2030-01-01T00:00:00Z',
    connect: () => later<void>().promise,
    warn: () => undefined,
  });
  client.dispatch(session, { type: 'session/titleChanged', title: 'mine' } as AnyAction);
  const view = client.open<SessionState>(session);
  client.attach(host.connect());
  host.deliver(1, 1); // the snapshot, and not yet the action
  await new Promise((resolve) => void setImmediate(resolve));
  assert.deepEqual([view.shown?.title, host.applied], ['mine', []]);
  host.deliver(10, 10);
  assert.deepEqual([view.shown?.title, host.applied.length], ['mine', 1]);
  view.dispose();
  client.dispose();
});
