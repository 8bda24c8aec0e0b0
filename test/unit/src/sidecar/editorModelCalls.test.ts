import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { EditorModelUnderTest } from '../../../support/coder/editorModel.ts';

const request = { model: 'vscode/fruit/plum', messages: [], tools: [] };
const never = new AbortController().signal;
const first = { channel: 'root', call: 'c1', request };
const next = { channel: 'root', call: 'c1' };

describe("a window's calls to models of the editor", () => {
  it('answer with what has arrived, and then with the end', async () => {
    const model = new EditorModelUnderTest([{ parts: [{ type: 'text', text: 'Hello.' }] }]);
    const { parts } = await model.answer(first, never);
    assert.deepEqual(parts, [{ type: 'text', text: 'Hello.' }]);
    assert.deepEqual(await model.answer(next, never), { parts: [], end: {} });
    await assert.rejects(model.answer(next, never), /not known in this window/);
  });

  it('end when the host cancels the request that waits', async () => {
    const model = new EditorModelUnderTest([{ hangs: true }]);
    const stop = new AbortController();
    const waiting = model.answer(first, stop.signal);
    stop.abort();
    await waiting;
    assert.equal(model.cancelled, 1);
    await assert.rejects(model.answer(next, never), /not known in this window/);
  });

  it('end when the host is gone', async () => {
    const model = new EditorModelUnderTest([{ hangs: true }]);
    const waiting = model.answer(first, never);
    model.calls.cancelAll();
    await waiting;
    assert.equal(model.cancelled, 1);
  });

  it('reject what is malformed, and call no model', async () => {
    const model = new EditorModelUnderTest([]);
    await assert.rejects(model.answer({ ...first, request: { ...request, tools: 'all' } }, never));
    assert.deepEqual(model.heard, []);
  });
});
