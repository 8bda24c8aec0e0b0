import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isFull, shortened, split } from '../../../../../sidecar/agents/coder/conversation/compaction.ts';
import { Conversation } from '../../../../../sidecar/agents/coder/conversation/conversation.ts';
import type { Entry } from '../../../../../sidecar/agents/coder/conversation/entries.ts';
import { toPrompt } from '../../../../../sidecar/agents/coder/conversation/toPrompt.ts';

const user = (text: string): Entry => ({ role: 'user', parts: [{ type: 'text', text }] });
const call = (id: string, meta?: Record<string, Record<string, string>>): Entry => ({
  role: 'assistant',
  dialect: 'messages',
  parts: [{ type: 'call', id, name: 'read', input: '{"path":"a"}', ...(meta && { meta }) }],
});
const result = (id: string, text: string): Entry => ({ role: 'result', id, name: 'read', text });

describe('a conversation as it is sent to a model', () => {
  it('contains a result for each call, which says if the call was interrupted', () => {
    const prompt = toPrompt('S', [user('go'), call('1'), call('2'), result('2', 'found'), user('on')], 'messages');
    assert.deepEqual(
      prompt.map((it) => it.role),
      ['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'user'],
    );
    const texts = prompt.filter((it) => it.role === 'tool').map((it) => JSON.stringify(it.content));
    assert.match(texts[0] ?? '', /error-text.*interrupted/);
    assert.match(texts[1] ?? '', /"type":"text","value":"found"/);
  });

  it('contains no result of a later call that has the same ID', () => {
    const prompt = toPrompt('S', [call('1'), user('on'), call('1'), result('1', 'found')], 'messages');
    const texts = prompt.filter((it) => it.role === 'tool').map((it) => JSON.stringify(it.content));
    assert.match(texts[0] ?? '', /interrupted/);
    assert.match(texts[1] ?? '', /found/);
  });

  it('marks only the system prompt and the last two messages for the cache', () => {
    const prompt = toPrompt('S', [user('a'), call('1'), result('1', 'b'), user('c')], 'messages');
    assert.deepEqual(
      prompt.map((it) => it.providerOptions?.['anthropic'] !== undefined),
      [true, false, false, true, true],
    );
  });

  it('contains the metadata of a part only for models with the same dialect', () => {
    const entries = [user('a'), call('1', { anthropic: { signature: 's' } }), result('1', 'b')];
    assert.match(JSON.stringify(toPrompt('S', entries, 'messages')), /signature/);
    assert.doesNotMatch(JSON.stringify(toPrompt('S', entries, 'chat')), /signature/);
  });

  it('contains an object where the model wrote invalid JSON', () => {
    const broken: Entry = {
      role: 'assistant',
      dialect: 'chat',
      parts: [{ type: 'call', id: '1', name: 'read', input: '{"pa' }],
    };
    assert.match(JSON.stringify(toPrompt('S', [broken], 'chat')), /"input":\{"text":"\{\\"pa"\}/);
  });
});

describe('a conversation that gets long', () => {
  it('is full at four fifths of the context', () =>
    assert.deepEqual([isFull(800, 1_000), isFull(801, 1_000)], [false, true]));

  it('keeps its latest entries, and no result without its call', () => {
    const entries = [user('a'.repeat(4_000)), call('1'), result('1', 'x'.repeat(400)), call('2'), result('2', 'y')];
    const { old, kept } = split(entries, 1_000);
    assert.deepEqual([old.length, kept.length], [1, 4]);
    assert.equal(split(entries, 200).kept[0], entries[3]);
  });

  it('is summarized as a whole if not even its last result fits', () => {
    const { old, kept } = split([user('go'), call('1'), result('1', 'x'.repeat(40_000))], 1_000);
    assert.deepEqual([old.length, kept.length], [3, 0]);
    assert.ok(JSON.stringify(shortened(old)).length < 5_000);
  });
});

describe('a conversation to which entries are added', () => {
  it('does not copy the earlier ones', async () => {
    const conversation = new Conversation('c');
    await conversation.add(user('one'));
    const { entries } = conversation;
    await conversation.add(user('two'));
    assert.equal(conversation.entries, entries);
    assert.deepEqual(entries, [user('one'), user('two')]);
  });

  it('leaves the entries alone that it was given as a replacement', async () => {
    const conversation = new Conversation('c');
    const kept = [user('one')];
    await conversation.replace(kept);
    await conversation.add(user('two'));
    assert.deepEqual([kept.length, conversation.entries.length], [1, 2]);
  });
});

describe('a conversation with a memory', () => {
  it('stores each entry, and loads them again', async () => {
    let rows: string[] = ['from another conversation'];
    const memory = {
      load: () => rows.slice(1),
      begin: async (_id: string, it: string) => void (rows = ['', it]),
      append: async (_id: string, it: string) => void rows.push(it),
      replace: async (_id: string, all: readonly string[]) => void (rows = ['', ...all]),
    };
    const conversation = new Conversation('c', memory);
    await conversation.add(user('one'));
    await conversation.add(call('1'));
    assert.deepEqual(new Conversation('c', memory).entries, [user('one'), call('1')]);
    await conversation.replace([{ role: 'summary', text: 'all' }]);
    assert.deepEqual(new Conversation('c', memory).entries, [{ role: 'summary', text: 'all' }]);
  });
});
