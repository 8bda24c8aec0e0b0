import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ChatAction } from '../../../sidecar/protocol/channels/chat/actions.ts';
import { EditorModelUnderTest } from '../../support/coder/editorModel.ts';
import { playAsPerson, textOf } from '../../support/coder/place.ts';
import { type HostPlace, openHostPlace } from '../../support/host/hostPlace.ts';
import { verifies } from '../../support/verifies.ts';

const plum = { id: 'vscode/fruit/plum', name: 'Plum (VS Code)', family: 'plum', context: 8_000 };

describe("the editor's models in sessions of the built-in agent", () => {
  let place: HostPlace;
  beforeEach(async () => {
    place = await openHostPlace(undefined);
  });
  afterEach(() => place.close());

  async function connect(id: string, model: EditorModelUnderTest) {
    const peer = await place.connect(id, { editorModels: [plum] });
    peer.peer.onRequest({ 'x-switchboard/editorModelCall': (params, { signal }) => model.answer(params, signal) });
    return peer;
  }

  it('are called through the window of the session alone, and their cost stays unknown', async () => {
    verifies('host.coder.editor-models');
    const model = new EditorModelUnderTest([{ parts: [{ type: 'text', text: 'The plum is ripe.' }] }]);
    const other = new EditorModelUnderTest([]);
    await connect('other', other);
    const peer = await connect('own', model);
    const { chat } = await peer.newSession({ provider: 'coder' });
    const turn = await playAsPerson(peer, chat, { text: 'Is it ripe?', model: plum.id });
    assert.match(textOf(turn), /The plum is ripe\./);
    assert.match(JSON.stringify(turn.responseParts), /which reports no usage\. .* cost is unknown/);
    const { inputTokens, outputTokens, _meta } = turn.usage ?? {};
    assert.deepEqual([inputTokens, outputTokens, _meta?.['cost'], _meta?.['counted']], Array(4).fill(undefined));
    assert.deepEqual([model.heard.length, other.heard.length], [1, 0]);
    peer.close();
  });

  it('are cancelled in the window when the turn is stopped', async () => {
    const model = new EditorModelUnderTest([{ parts: [{ type: 'text', text: 'Half.' }], hangs: true }]);
    const peer = await connect('own', model);
    const { chat } = await peer.newSession({ provider: 'coder' });
    const played = playAsPerson(peer, chat, { text: 'Begin.', model: plum.id });
    await peer.until(() => JSON.stringify(peer.chat(chat).activeTurn ?? {}).includes('Half.'), 'the text is there');
    const turnId = peer.chat(chat).activeTurn!.id;
    const stopped: ChatAction = { type: 'chat/turnCancelled', turnId, duration: 1 };
    await peer.act(chat, stopped);
    await played;
    await peer.until(() => model.cancelled === 1, 'the call is cancelled');
    peer.close();
  });
});
