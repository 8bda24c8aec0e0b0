import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { coderProvider } from '../../../../../sidecar/agents/coder/provider.ts';
import type { AgentSession } from '../../../../../sidecar/agents/provider.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import type { EditorModelError } from '../../../../../sidecar/protocol/channels/root/editorModelCalls.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import { type EditorAnswer, EditorModelUnderTest } from '../../../../support/coder/editorModel.ts';
import { contextIn, noChildren, type PlayedTurn, playTurn } from '../../../../support/playTurn.ts';

const plum = { id: 'vscode/fruit/plum', name: 'Plum (VS Code)', family: 'plum', context: 8_000 };
const say = (text: string) => ({ type: 'text' as const, text });
const todo = (id: string) => ({
  type: 'call' as const,
  id,
  name: 'todo',
  input: { items: [{ text: 'Look', state: 'done' }] },
});

describe("a session of the built-in agent with the editor's models", () => {
  let ids = 0;
  const timers = { ...systemTimers, wait: () => Promise.resolve() };
  const deps = { children: noChildren, timers, newId: () => `${(ids += 1)}` };

  async function open(answers: readonly EditorAnswer[]) {
    const model = new EditorModelUnderTest(answers);
    const session = await openWith(() => model.answer);
    return { session, model };
  }
  function openWith(ask: () => (params: object, signal: AbortSignal) => Promise<unknown>): Promise<AgentSession> {
    const open = () => {
      const send = ask();
      return (params: object, signal: AbortSignal) => send({ channel: ROOT, ...params }, signal);
    };
    const editor = { list: () => [plum], open };
    const models = { choice: 'auto', offered: async () => undefined, editor } as const;
    return coderProvider(deps, []).open(contextIn(undefined, { models }), new AbortController().signal);
  }
  const messageOf = ({ failure }: PlayedTurn) => (failure as Error | undefined)?.message;

  it('offers them by name, also if the gateway has no model', async () => {
    const { session } = await open([]);
    assert.deepEqual(session.options.models, [{ id: plum.id, name: plum.name }]);
    assert.equal(session.options.model, plum.id);
    assert.equal(session.modelsThrough?.(undefined), 'editor');
    assert.equal(session.modelsThrough?.('gpt'), 'gateway');
  });

  it('sends instructions, tools, images, calls, and results, and shows the text around a call in order', async () => {
    const { session, model } = await open([
      { parts: [say('I '), say('note it.'), todo('c1')] },
      { parts: [say('Done.')] },
    ]);
    const image = { kind: 'data', label: 'Plan', contentType: 'image/png', base64: 'AAAA' } as const;
    const { text, failure } = await playTurn(session, { text: 'Look at it.', attachments: [image] });
    assert.equal(failure, undefined);
    assert.equal(text, 'I note it.Done.');
    const [first, second] = model.heard;
    assert.equal(first?.model, plum.id);
    assert.deepEqual(
      first?.messages.map((it) => [it.role, it.parts.map((part) => part.type)]),
      [
        ['user', ['text']],
        ['user', ['text', 'image']],
      ],
    );
    assert.ok(first?.tools.some((it) => it.name === 'todo' && it.inputSchema['type'] === 'object'));
    assert.deepEqual(
      second?.messages.slice(2).map((it) => [it.role, it.parts.map((part) => part.type)]),
      [
        ['assistant', ['text', 'call']],
        ['user', ['result']],
      ],
    );
  });

  it('shows text as it arrives, and cancels the call in the window when the turn is stopped', async () => {
    const { session, model } = await open([{ parts: [say('Half.')], hangs: true }]);
    const stop = new AbortController();
    const { text } = await playTurn(session, {
      text: 'Begin.',
      signal: stop.signal,
      onEvent: (event) => {
        if (event.kind === 'text') stop.abort();
      },
    });
    assert.equal(text, 'Half.');
    assert.equal(model.cancelled, 1);
  });

  it('cancels the call in the window when the turn is stopped between two requests', async () => {
    const model = new EditorModelUnderTest([{ parts: [say('Half.')], hangs: true }]);
    const stop = new AbortController();
    const session = await openWith(() => async (params, signal) => {
      signal.throwIfAborted(); // as the host does, which then sends nothing
      const answer = await model.answer(params, signal);
      stop.abort();
      return answer;
    });
    await playTurn(session, { text: 'Begin.', signal: stop.signal });
    assert.equal(model.cancelled, 1);
  });

  it('reports no tokens, because the editor reports none, and estimates the context', async () => {
    const { session } = await open([{ parts: [say('Seen.')] }]);
    const { events } = await playTurn(session, { text: 'x'.repeat(4_000) });
    const usage = events.findLast((it) => it.kind === 'usage');
    assert.deepEqual([usage?.model, usage?.inputTokens, usage?.outputTokens], [plum.id, undefined, undefined]);
    assert.equal(usage?.context?.size, plum.context);
    assert.ok((usage?.context?.used ?? 0) > 1_000);
  });

  it('continues a conversation of another model', async () => {
    const { session, model } = await open([{ parts: [say('One.')] }, { parts: [say('Two.')] }]);
    await playTurn(session, { text: 'First.' });
    await playTurn(session, { text: 'Second.' });
    assert.match(JSON.stringify(model.heard[1]?.messages), /First\..*One\..*Second\./);
  });

  for (const [reason, message, expected] of [
    ['consent', 'x', /does not let Switchboard use the model\. Allow it with Manage Language Model Access\. Send the /],
    ['blocked', 'Quota exceeded.', /refused the call, possibly because a quota is used up\. Quota exceeded\. Send /],
    ['gone', '', /VS Code no longer offers the model\. Send the message again, or choose another model\./],
    ['failed', 'Invalid key', /did not answer: Invalid key\. Send the message again, or choose another model\./],
  ] as const satisfies readonly (readonly [EditorModelError['reason'], string, RegExp])[])
    it(`says why a call ended if the reason is "${reason}"`, async () => {
      const { session, model } = await open(Array.from({ length: 6 }, () => ({ error: { reason, message } })));
      assert.match(messageOf(await playTurn(session, { text: 'Hello.' })) ?? '', expected);
      assert.equal(model.heard.length, reason === 'failed' ? 6 : 1);
    });

  it('waits for a window that comes back', async () => {
    const model = new EditorModelUnderTest([{ parts: [say('Back.')] }]);
    let tries = 0;
    const session = await openWith(() => async (params, signal) => {
      tries += 1;
      if (tries < 3) throw new Fault('unavailable', 'not connected');
      return model.answer(params, signal);
    });
    const { text, events } = await playTurn(session, { text: 'Hello.' });
    assert.equal(text, 'Back.');
    assert.match(JSON.stringify(events), /The window that offers the model is closed, or it does not respond\./);
  });

  for (const [what, ask, expected] of [
    [
      'stays away',
      () => Promise.reject(new Fault('unavailable', 'secret')),
      /The window that offers the model is closed/,
    ],
    [
      'does not know the request',
      () => Promise.reject(new Error('secret')),
      /The window does not support calls to models/,
    ],
    ['answers something else', () => Promise.resolve({ parts: 'secret' }), /or its response could not be read/],
  ] as const)
    it(`fails in words if the window ${what}`, async () => {
      const message = messageOf(await playTurn(await openWith(() => ask), { text: 'Hello.' })) ?? '';
      assert.match(message, expected);
      assert.doesNotMatch(message, /secret/);
    });

  it('says that a model is not available when the editor has others', async () => {
    const { session } = await open([]);
    const turn = await playTurn(session, { text: 'Hello.', model: 'vscode/fruit/pear' });
    assert.match(messageOf(turn) ?? '', /^The model "vscode\/fruit\/pear" is not available: .*Choose another model\.$/);
  });
});
