import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../../sidecar/agents/acp/provider.ts';
import { type Children, openChildren } from '../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import type { AnyAction } from '../../../sidecar/protocol/envelope.ts';
import type { HostPeer } from '../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../support/host/hostPlace.ts';
import { verifies } from '../../support/verifies.ts';
import { fakeAgent } from '../peers/acp/fakeAgent.ts';

const sdkAgent = fileURLToPath(new URL('../peers/acp/sdkAgent.child.ts', import.meta.url));
const form = (message: string) =>
  JSON.stringify({ message, requestedSchema: { type: 'object', properties: { place: { type: 'string' } } } });

interface Working {
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
}

describe('ACP agents of different programs, side by side in one host', () => {
  let folder: string;
  let children: Children;
  let place: HostPlace;
  let peer: HostPeer;
  /** Another window, which answers what is in its Inbox. */
  let inbox: HostPeer;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'switchboard-beside-')));
    children = openChildren(join(folder, 'data', 'children.json'), () => '2026-01-01T00:00:00Z');
    const agents = [
      { ...fakeAgent([]), id: 'plain', displayName: 'Plain' },
      { ...fakeAgent(['--hasty', '--two-of-a-kind']), id: 'hasty', displayName: 'Hasty' },
      { ...fakeAgent([]), args: [sdkAgent], id: 'asking', displayName: 'Asking' },
    ];
    place = await openHostPlace(agents.map((it) => acpProvider(it, { timers: systemTimers, children })));
    const env = { PATH: process.env['PATH'] ?? '' };
    peer = await place.connect('c1', { env });
    inbox = await place.connect('c2', { env });
  });
  afterEach(async () => {
    await place.close();
    await children.stopAll();
    await rm(folder, { recursive: true, force: true });
  });

  const begin = async (provider: string, prompt: (own: string) => string): Promise<Working & { own: string }> => {
    const own = await mkdtemp(join(folder, 'own-'));
    const made = await peer.newSession({ provider, workingDirectories: [pathToFileURL(own).href] });
    await inbox.subscribe(made.session);
    await inbox.subscribe(made.chat);
    return { ...made, own, turnId: await peer.prompt(made.chat, prompt(own)) };
  };
  const asked = async ({ session }: Working) => {
    await inbox.until(() => inbox.session(session).inputNeeded?.length === 1, 'one question is in the Inbox');
    return inbox.session(session).inputNeeded![0]!;
  };
  const decide = async (of: Working, approved: boolean) => {
    const question = await asked(of);
    assert.ok(question.kind === 'toolConfirmation');
    const about = { turnId: of.turnId, toolCallId: question.toolCall.toolCallId, approved };
    const how = approved ? { confirmed: 'user-action' } : { reason: 'denied' };
    await inbox.act(of.chat, { type: 'chat/toolCallConfirmed', ...about, ...how } as AnyAction);
  };
  const answer = async (of: Working, text: string) => {
    const question = await asked(of);
    assert.ok(question.kind === 'chatInput');
    const { id: requestId, questions } = question.request;
    const value = { kind: 'text', value: text };
    const answers = { [questions![0]!.id]: { state: 'submitted', value } };
    const action = { type: 'chat/inputCompleted', requestId, response: 'accept', answers };
    await inbox.act(of.chat, action as AnyAction);
  };
  const said = async ({ chat, turnId }: Working) => JSON.stringify((await peer.ended(chat, turnId)).responseParts);

  it('ask at the same moment with the same IDs of sessions and calls, and each gets its own answer', async () => {
    verifies('host.agents.side-by-side');
    const write = (own: string) => `edit ${join(own, 'new.txt')}`;
    const plain = await begin('plain', write);
    const twin = await begin('plain', write);
    const hasty = await begin('hasty', write);
    const first = await begin('asking', () => form('Where do you start?'));
    const second = await begin('asking', () => form('Where do you end?'));
    const all = [plain, twin, hasty, first, second];
    const questions = await Promise.all(all.map(asked));
    assert.deepEqual(
      questions.map((it) => [it.chat, it.kind === 'chatInput' ? it.request.message : it.kind]),
      [
        [plain.chat, 'toolConfirmation'],
        [twin.chat, 'toolConfirmation'],
        [hasty.chat, 'toolConfirmation'],
        [first.chat, 'Where do you start?'],
        [second.chat, 'Where do you end?'],
      ],
    );
    const callOf = (at: number) =>
      questions[at]?.kind === 'toolConfirmation' ? questions[at].toolCall.toolCallId : '';
    assert.deepEqual([callOf(1), callOf(2)], [callOf(0), callOf(0)], 'the agents number their calls alike');
    // The last that asked is answered first.
    await answer(second, 'Rome');
    await answer(first, 'Oslo');
    await decide(hasty, true);
    await decide(twin, false);
    await decide(plain, true);
    assert.match(await said(first), /\\"place\\":\\"Oslo\\"/);
    assert.match(await said(second), /\\"place\\":\\"Rome\\"/);
    await Promise.all([plain, twin, hasty].map(said));
    assert.deepEqual(
      [plain, twin, hasty].map((it) => existsSync(join(it.own, 'new.txt'))),
      [true, false, true],
    );
    assert.deepEqual(
      all.map((it) => inbox.session(it.session).inputNeeded),
      all.map(() => undefined),
    );
  });

  it('end alone: one that dies leaves the questions of the others as they are', async () => {
    verifies('host.agents.side-by-side');
    const asking = await begin('asking', () => form('Where?'));
    await asked(asking);
    const dying = await begin('plain', () => 'crash');
    assert.equal((await peer.ended(dying.chat, dying.turnId)).state, 'error');
    await answer(asking, 'Here');
    assert.match(await said(asking), /\\"place\\":\\"Here\\"/);
  });
});
