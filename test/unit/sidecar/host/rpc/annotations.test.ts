import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, it } from 'mocha';
import type { TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import type {
  Annotation,
  AnnotationsAction,
  AnnotationsState,
} from '../../../../../sidecar/protocol/channels/annotations/schema.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { annotationsUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('annotations', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  const heard: TurnRequest[] = [];
  const agent = scriptedProvider(async function* (turn) {
    heard.push(turn);
    yield { kind: 'text', partId: 'a', text: turn.text };
  });
  const range = { start: { line: 1, character: 0 }, end: { line: 3, character: 2 } };

  async function open() {
    heard.length = 0;
    place = await openHostPlace([agent]);
    const peer = await place.connect();
    const { session, chat } = await peer.newSession();
    const turnId = await peer.prompt(chat, 'hello');
    await peer.ended(chat, turnId);
    const channel = annotationsUri(session);
    await peer.subscribe(channel);
    const annotation = (id: string, more: Partial<Annotation> = {}): Annotation => {
      const entries = [{ id: 'e1', text: `first of ${id}` }];
      return { id, turnId, resource: 'file:///a.ts', resolved: false, entries, range, ...more };
    };
    return { peer, session, chat, turnId, channel, annotation };
  }
  const act = (peer: HostPeer, channel: string, action: AnnotationsAction) => peer.act(channel, action);
  const of = (peer: HostPeer, channel: string) => (peer.states.get(channel) as AnnotationsState).annotations;

  it('are made, answered, resolved and removed by any client, for all who look, and outlive the host', async () => {
    verifies('host.service.uri-annotations');
    const { peer, channel, annotation } = await open();
    const other = await place.connect('c2');
    await other.subscribe(channel);
    for (const id of ['a1', 'a2', 'a3'])
      await act(peer, channel, { type: 'annotations/set', annotation: annotation(id) });
    const reply = { id: 'e2', text: { markdown: '**no**' } };
    for (const action of [
      { type: 'annotations/entrySet', annotationId: 'a1', entry: reply },
      { type: 'annotations/updated', annotationId: 'a1', resolved: true, resource: 'file:///b.ts' },
      { type: 'annotations/removed', annotationId: 'a2' },
      { type: 'annotations/entrySet', annotationId: 'a3', entry: { id: 'e1', text: 'said better' } },
      { type: 'annotations/entrySet', annotationId: 'a3', entry: reply },
      { type: 'annotations/entryRemoved', annotationId: 'a3', entryId: 'e2' },
      { type: 'annotations/removed', annotationId: 'never there' },
    ] as AnnotationsAction[]) {
      const { rejectionReason, origin } = await act(other, channel, action);
      assert.deepEqual([rejectionReason, origin?.clientId], [undefined, 'c2']);
    }
    await peer.until(() => peer.envelopes.at(-1)?.action.type === 'annotations/removed');
    const expected = [
      annotation('a1', {
        resolved: true,
        resource: 'file:///b.ts',
        entries: [{ id: 'e1', text: 'first of a1' }, reply],
      }),
      annotation('a3', { entries: [{ id: 'e1', text: 'said better' }] }),
    ];
    for (const it of [peer, other]) assert.deepEqual(of(it, channel), expected);
    await place.restart();
    const later = await place.connect('c3');
    assert.deepEqual((await later.subscribe<AnnotationsState>(channel)).annotations, expected);
  });

  it('are counted in the session and in the list, which tells of it, also where there are none', async () => {
    verifies('host.session.annotations', 'host.summary.in-step');
    const { peer, session, channel, annotation } = await open();
    const counts = async () => (await peer.subscribe<SessionState>(session)).annotations;
    const none = { resource: channel, annotationCount: 0, entryCount: 0 };
    assert.deepEqual(await counts(), none);
    await act(peer, channel, { type: 'annotations/set', annotation: annotation('a1') });
    await act(peer, channel, { type: 'annotations/entrySet', annotationId: 'a1', entry: { id: 'e2', text: 'more' } });
    const summary = { resource: channel, annotationCount: 1, entryCount: 2 };
    assert.deepEqual(await counts(), summary);
    const told = (wanted: unknown) =>
      peer.until(() => {
        const all = peer.notified.filter((it) => it.method === 'root/sessionSummaryChanged');
        const last = all.map((it) => it.params['changes'] as object).findLast((it) => 'annotations' in it);
        return last !== undefined && isDeepStrictEqual(last.annotations, wanted);
      });
    await told(summary);
    const { items } = await peer.request('root/listSessions', {});
    assert.deepEqual(items[0]?.annotations, summary);
    await act(peer, channel, { type: 'annotations/removed', annotationId: 'a1' });
    assert.deepEqual(await counts(), none);
    await told(none);
  });

  it('are refused where they are of no turn, say nothing, or would be left without a word', async () => {
    const { peer, channel, annotation } = await open();
    await act(peer, channel, { type: 'annotations/set', annotation: annotation('a1') });
    const set = (id: string, more: Partial<Annotation>): AnnotationsAction => ({
      type: 'annotations/set',
      annotation: annotation(id, more),
    });
    const entry = (id: string, text: string) => ({ id, text });
    for (const [action, reason] of [
      [set('a2', { turnId: 'none' }), /^annotation.turnId: turn not found/],
      [set('a2', { entries: [] }), /^annotation.entries: must have at least one entry/],
      [set('a2', { resolved: true }), /^annotation.resolved: must be false for a new annotation/],
      [set('a2', { entries: [entry('e', 'x'), entry('e', 'y')] }), /^annotation.entries.1.id: appears more than once/],
      [set('a2', { entries: [entry('e', ' \n')] }), /^annotation.entries.0.text: must not be empty/],
      [set('a\u0000', {}), /^annotation.id: must have/],
      [{ type: 'annotations/updated', annotationId: 'a1', turnId: 'none' }, /^turnId: turn not found/],
      [{ type: 'annotations/entrySet', annotationId: 'a1', entry: entry('e2', '') }, /^entry.text: must not be empty/],
      [
        { type: 'annotations/entryRemoved', annotationId: 'a1', entryId: 'e1' },
        /^entryId: the last entry cannot be removed; remove the annotation instead/,
      ],
    ] as [AnnotationsAction, RegExp][]) {
      assert.match((await act(peer, channel, action)).rejectionReason ?? '', reason);
    }
    assert.deepEqual(of(peer, channel), [annotation('a1')]);
  });

  it('that a message attaches are told to the agent, the open ones where none is named', async () => {
    const { peer, chat, channel, annotation } = await open();
    for (const id of ['a1', 'a2']) await act(peer, channel, { type: 'annotations/set', annotation: annotation(id) });
    await act(peer, channel, { type: 'annotations/updated', annotationId: 'a2', resolved: true });
    const say = async (turnId: string, annotationIds?: string[]) => {
      const attachment = {
        type: 'annotations',
        label: 'Remarks',
        resource: channel,
        ...(annotationIds && { annotationIds }),
      };
      const message = { text: 'Do it', origin: { kind: 'user' }, attachments: [attachment] };
      await peer.act(chat, { type: 'chat/turnStarted', turnId, startedAt: new Date().toISOString(), message } as never);
      await peer.ended(chat, turnId);
      return heard.at(-1)?.attachments;
    };
    const text = (id: string) => `file:///a.ts:2-4\n- first of ${id}`;
    assert.deepEqual(await say('t2'), [{ kind: 'text', label: 'Remarks', text: text('a1') }]);
    assert.deepEqual(await say('t3', ['a2']), [{ kind: 'text', label: 'Remarks', text: text('a2') }]);
  });

  it('go with their session, and belong to no other', async () => {
    const { peer, session, channel, annotation } = await open();
    await act(peer, channel, { type: 'annotations/set', annotation: annotation('a1') });
    const { session: second } = await peer.newSession();
    assert.deepEqual(await peer.subscribe(annotationsUri(second)), { annotations: [] });
    await peer.request('disposeSession', { channel: session });
    await assert.rejects(peer.request('subscribe', { channel }), { code: -32001 });
    await assert.rejects(peer.request('subscribe', { channel: 'host-session:/none/annotations' }), { code: -32001 });
    await place.restart();
    const later = await place.connect('c2');
    await assert.rejects(later.request('subscribe', { channel }), { code: -32001 });
  });
});
