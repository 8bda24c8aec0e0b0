import assert from 'node:assert/strict';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { errorCodes, PermissionDeniedData } from '../../../../../sidecar/protocol/errors.ts';
import type { AccessQuestion } from '../../../../../sidecar/protocol/resources.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { testWindow } from '../../../../support/host/hostPlace.ts';
import { openResourcePlace, type ResourcePlace, SECRET, uriOf } from '../../../../support/resources/resourcePlace.ts';
import { verifies } from '../../../../support/verifies.ts';

const { PermissionDenied, NotFound } = errorCodes;

describe('access that a person grants', () => {
  let place: ResourcePlace;
  /** A program that is no window. */
  let program: HostPeer;
  beforeEach(async () => {
    place = await openResourcePlace();
    program = await connectProgram('p1');
  });
  afterEach(() => place.close());

  async function connectProgram(clientId: string): Promise<HostPeer> {
    const peer = place.host.connectSilently();
    peer.clientId = clientId;
    await peer.request('initialize', { protocolVersions: ['0.7.0'], clientId, clientInfo: { name: 'A program' } });
    return peer;
  }
  const secret = () => uriOf(join(place.outside, 'secret.txt'));
  const open = (peer: HostPeer) =>
    (peer.notified.findLast((it) => it.method === 'x-switchboard/accessQuestions')?.params['items'] ??
      []) as AccessQuestion[];
  async function answer(allow: boolean, peer = place.peer): Promise<AccessQuestion> {
    await peer.until(() => open(peer).length > 0);
    const [question] = open(peer);
    await peer.request('x-switchboard/accessAnswer', { id: question!.id, allow });
    await peer.until(() => open(peer).length === 0);
    return question!;
  }
  const read = (peer: HostPeer, uri: string) => peer.request('resourceRead', { uri, encoding: 'utf-8' });

  it('is what the denial says would unlock it, asked of every window, and answered in one', async () => {
    verifies('host.command.resourceRequest', 'host.error.-32009-request');
    const other = await place.host.connect('c2');
    const denied: { code: number; data: unknown } = await read(program, secret()).then(
      () => assert.fail('it was read'),
      (error) => error,
    );
    assert.equal(denied.code, PermissionDenied);
    const { request } = PermissionDeniedData.parse(denied.data);
    const asking = program.request('resourceRequest', request!);
    await other.until(() => open(other).length === 1);
    const question = await answer(true);
    assert.deepEqual({ ...question, id: '' }, { id: '', asker: 'A program', uri: secret(), read: true, write: false });
    assert.deepEqual(await asking, {});
    await other.until(() => open(other).length === 0);
    assert.equal((await read(program, secret())).data, SECRET);
    await assert.rejects(other.request('x-switchboard/accessAnswer', { id: question.id, allow: false }), {
      code: NotFound,
    });
  });

  it('counts for the client that asked alone, and for what was asked alone', async () => {
    const asking = program.request('resourceRequest', { uri: secret() });
    await answer(true);
    await asking;
    const another = await connectProgram('p2');
    await assert.rejects(read(another, secret()), { code: PermissionDenied });
    await assert.rejects(read(place.peer, secret()), { code: PermissionDenied });
    await assert.rejects(read(program, uriOf(join(place.outside, 'sub', 'secret.txt'))), { code: PermissionDenied });
    const write = { uri: secret(), data: 'x', encoding: 'utf-8' } as const;
    await assert.rejects(program.request('resourceWrite', write), { code: PermissionDenied });
    assert.equal(readFileSync(join(place.outside, 'secret.txt'), 'utf8'), SECRET);
  });

  it('opens a folder with all that is in it, to write without reading', async () => {
    const asking = program.request('resourceRequest', { uri: uriOf(place.outside), write: true });
    assert.deepEqual([(await answer(true)).read], [false]);
    await asking;
    const uri = uriOf(join(place.outside, 'sub', 'new.txt'));
    await program.request('resourceWrite', { uri, data: 'new', encoding: 'utf-8' });
    assert.equal(readFileSync(join(place.outside, 'sub', 'new.txt'), 'utf8'), 'new');
    await assert.rejects(read(program, uri), { code: PermissionDenied });
  });

  it('is not given when a person refuses, and asked again when the program asks again', async () => {
    for (const _ of [1, 2]) {
      const asking = program.request('resourceRequest', { uri: secret(), read: true });
      const refused = assert.rejects(asking, { code: PermissionDenied, data: {} });
      await answer(false);
      await refused;
    }
    await assert.rejects(read(program, secret()), { code: PermissionDenied });
  });

  it('shows a person where a link leads, and follows no other link later', async () => {
    symlinkSync(join(place.outside, 'sub'), join(place.base, 'harmless'));
    const asking = program.request('resourceRequest', { uri: uriOf(join(place.base, 'harmless')) });
    assert.equal((await answer(true)).uri, uriOf(join(place.outside, 'sub')));
    await asking;
    assert.equal((await read(program, uriOf(join(place.base, 'harmless', 'secret.txt')))).data, SECRET);
    await assert.rejects(read(program, secret()), { code: PermissionDenied });
  });

  it('is asked of windows alone: a program answers for nobody', async () => {
    const asking = program.request('resourceRequest', { uri: secret() });
    await place.peer.until(() => open(place.peer).length === 1);
    const { id } = open(place.peer)[0]!;
    await assert.rejects(program.request('x-switchboard/accessAnswer', { id, allow: true }), {
      code: PermissionDenied,
    });
    assert.ok(!program.notified.some((it) => it.method === 'x-switchboard/accessQuestions'));
    const refused = assert.rejects(asking, { code: PermissionDenied });
    await answer(false);
    await refused;
  });

  it('is neither shown to a window at which nobody sits nor answered by it', async () => {
    const asking = program.request('resourceRequest', { uri: secret() });
    await place.peer.until(() => open(place.peer).length === 1);
    const { id } = open(place.peer)[0]!;
    const unmanned = await place.host.connect('c2', { answersQuestions: false });
    const manned = await place.host.connect('c3');
    await manned.until(() => open(manned).length === 1);
    await unmanned.until(() => unmanned.notified.length > 0); // what is said to everybody behind the handshake
    await assert.rejects(unmanned.request('x-switchboard/accessAnswer', { id, allow: true }), {
      code: PermissionDenied,
    });
    const refused = assert.rejects(asking, { code: PermissionDenied });
    await answer(false);
    await refused;
    assert.ok(!unmanned.notified.some((it) => it.method === 'x-switchboard/accessQuestions'));
  });

  it('is not asked for what is open already, for a whole disk, or where no window is', async () => {
    verifies('host.error.-32009-hopeless');
    assert.deepEqual(
      await place.peer.request('resourceRequest', { uri: uriOf(place.inside), read: true, write: true }),
      {},
    );
    await assert.rejects(program.request('resourceRequest', { uri: 'file:///' }), { code: PermissionDenied, data: {} });
    await assert.rejects(program.request('resourceRequest', { uri: 'https://x.test/' }), {
      code: PermissionDenied,
      data: {},
    });
    const asking = program.request('resourceRequest', { uri: secret() });
    const refused = assert.rejects(asking, { code: PermissionDenied, data: {} });
    await place.peer.until(() => open(place.peer).length === 1);
    place.peer.close();
    await refused;
    await assert.rejects(program.request('resourceRequest', { uri: secret() }), { code: PermissionDenied, data: {} });
    const unmanned = { window: { ...testWindow, answersQuestions: false } };
    program.peer.sendNotification('x-switchboard/windowChanged', { channel: ROOT, ...unmanned });
    await assert.rejects(program.request('resourceRequest', { uri: secret() }), { code: PermissionDenied, data: {} });
  });

  it('leaves the windows when the program that asked is gone', async () => {
    const asking = program.request('resourceRequest', { uri: secret() });
    const lost = assert.rejects(asking);
    await place.peer.until(() => open(place.peer).length === 1);
    program.close();
    await lost;
    await place.peer.until(() => open(place.peer).length === 0);
  });

  it('stands among the approvals, and ends when it is taken back there', async () => {
    verifies('host.approvals.every-source');
    const asking = program.request('resourceRequest', { uri: secret() });
    await answer(true);
    await asking;
    const { items } = await place.peer.request('x-switchboard/rules', {});
    assert.deepEqual(
      items.map(({ target, pattern, effect, source }) => ({ target, pattern, effect, source })),
      [{ target: 'read', pattern: secret(), effect: 'allow', source: 'granted' }],
    );
    const { channel } = await program.request('createResourceWatch', { uri: secret() });
    await place.peer.request('x-switchboard/ruleRemove', { id: items[0]!.id });
    await assert.rejects(read(program, secret()), { code: PermissionDenied });
    await assert.rejects(program.request('subscribe', { channel }), { code: errorCodes.SessionNotFound });
  });
});
