import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, describe, it } from 'mocha';
import { coderProvider } from '../../../../../sidecar/agents/coder/provider.ts';
import type { SessionModels } from '../../../../../sidecar/agents/models.ts';
import type { AgentSession, SessionContext } from '../../../../../sidecar/agents/provider.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { type ModelServer, type Recordings, startModel } from '../../../../support/model/server.ts';
import { contextIn, noChildren, type PlayedTurn, playTurn } from '../../../../support/playTurn.ts';

const call = (name: string, input: Readonly<Record<string, unknown>>) => ({ name, input });
const delegation = (title: string) => call('delegate', { title, task: 'Report. replay child' });
const tooLong = { status: 400, text: 'prompt is too long' };

describe('a session of the built-in agent', () => {
  let model: ModelServer;
  afterEach(() => model.close());

  async function open(
    recordings: Recordings = {},
    models: SessionModels['models'] = [{ name: 'fake', dialects: ['messages'] }],
    more: Partial<SessionContext> = {},
  ): Promise<AgentSession> {
    model = await startModel(recordings);
    const offered = async () => (models.length === 0 ? undefined : { url: model.url, key: 'key', models });
    const context = contextIn(undefined, { models: { choice: 'auto', offered }, ...more });
    const provider = coderProvider({ children: noChildren, timers: systemTimers, newId: () => 'conversation' }, []);
    return provider.open(context, new AbortController().signal);
  }
  const messageOf = ({ failure }: PlayedTurn) => (failure as Error | undefined)?.message;
  const heard = () => JSON.stringify(model.heard.at(-1));
  const noticesOf = ({ events }: PlayedTurn) => events.flatMap((it) => (it.kind === 'notice' ? [it.markdown] : []));

  it('declares each delegation as the start of a sub-agent, so that limits apply to it', async () => {
    const session = await open({
      parent: [{ calls: [delegation('One'), delegation('Two')] }, { text: 'Both reported.' }],
    });
    const { asked, delegated, text } = await playTurn(session, { text: 'Delegate. replay parent' });
    assert.deepEqual(
      asked.map((it) => [it.invocationMessage, it.startsSubAgent]),
      [
        ['Delegate: One', true],
        ['Delegate: Two', true],
      ],
    );
    assert.deepEqual(
      delegated.map((it) => [it.title, it.text, it.model]),
      ['One', 'Two'].map((it) => [it, 'Report. replay child', 'fake']),
    );
    assert.equal(text, 'Both reported.');
  });

  it('starts no sub-agent that is not allowed, and tells the model why', async () => {
    const session = await open({ parent: [{ calls: [delegation('One')] }, { text: 'I do it myself.' }] });
    const decide = () => ({ allow: false, reason: 'The limit is reached.' }) as const;
    await playTurn(session, { text: 'Delegate. replay parent', decide });
    assert.equal(model.heard.length, 2);
    assert.match(heard(), /This call was denied\. The reason: The limit is reached\./);
  });

  it('does not keep a message that does not fit into the context, so that a shorter one can follow', async () => {
    const session = await open({ long: [tooLong, tooLong] });
    assert.equal(
      messageOf(await playTurn(session, { text: 'Long. replay long' })),
      'The conversation does not fit into the context of the model. Shorten the message, or choose a model with a larger context.',
    );
    const { failure } = await playTurn(session, { text: 'say Short.' });
    assert.equal(failure, undefined);
    assert.doesNotMatch(heard(), /replay long/);
  });

  it('keeps its conversation if the model returns an empty summary', async () => {
    const session = await open({ empty: [{ text: 'First.' }, { text: '' }, { text: 'Second.' }] });
    await playTurn(session, { text: 'Remember me. replay empty' });
    assert.match(messageOf(await playTurn(session, { text: '/compact' })) ?? '', /did not return a summary/);
    await playTurn(session, { text: 'Continue.' });
    assert.match(heard(), /Remember me\./);
  });

  it('defines its tools in the call that summarizes, because the conversation can contain tool calls', async () => {
    const session = await open({ sum: [{ text: 'First.' }, { text: 'All of it.' }] });
    await playTurn(session, { text: 'Begin. replay sum' });
    assert.deepEqual(noticesOf(await playTurn(session, { text: '/compact' })), [
      'The earlier conversation was summarized.',
    ]);
    assert.equal(
      model.offered.at(-1)?.some((it) => it.name === 'delegate'),
      true,
    );
  });

  for (const [outcome, text, error, expected] of [
    ['complete', '', undefined, '(the sub-agent returned no report)'],
    ['stopped', '', undefined, 'The user stopped the sub-agent.'],
    ['failed', 'Half.', 'No model.', 'The sub-agent failed: No model.\nIts last message:\nHalf.'],
  ] as const)
    it(`tells the model about a sub-agent whose outcome is "${outcome}"`, async () => {
      const session = await open({ parent: [{ calls: [delegation('One')] }, { text: 'I know.' }] });
      const report = () => ({ outcome, text, ...(error !== undefined && { error }) });
      await playTurn(session, { text: 'Delegate. replay parent', report });
      assert.equal(
        model.heard
          .at(-1)
          ?.flatMap((it) => it.results)
          .at(-1),
        expected,
      );
    });

  it('gives a sub-agent no tool to start another one, and asks it for a report', async () => {
    const session = await open();
    await playTurn(session, { text: 'say Report.', isDelegated: true });
    const names = model.offered.at(-1)?.map((it) => it.name) ?? [];
    assert.deepEqual([names.includes('ask'), names.includes('delegate')], [true, false]);
  });

  it('does not ask the user about a file outside the folders, which it cannot read', async () => {
    const recordings = { read: [{ calls: [call('read', { path: '../other/a.txt' })] }, { text: 'I cannot read it.' }] };
    const session = await open(recordings, undefined, { folders: [realpathSync(tmpdir())] });
    const { asked } = await playTurn(session, { text: 'Read. replay read' });
    assert.deepEqual(asked, []);
    assert.match(heard(), /is outside this session's folders\. Use a path inside one of them\./);
  });

  it('ends a tool call that fails with an unexpected error', async () => {
    const readText = () => Promise.reject(new TypeError('a bug'));
    const recordings = { read: [{ calls: [call('read', { path: 'a.txt' })] }] };
    const session = await open(recordings, undefined, { folders: ['/'], files: { readText, writeText: readText } });
    const { events, failure } = await playTurn(session, { text: 'Read. replay read' });
    assert.ok(failure instanceof TypeError);
    assert.deepEqual(
      events.flatMap((it) => (it.kind === 'toolStarted' || it.kind === 'toolEnded' ? [it.kind] : [])),
      ['toolStarted', 'toolEnded'],
    );
  });

  it('1c-14 reports what its context contains, in parts that add up to what the provider counted', async () => {
    const recordings = { parts: [{ text: 'Seen.', usage: { input: 990, output: 10 } }] };
    const session = await open(recordings, undefined, {
      guidance: () => [{ kind: 'skill', name: 'Mend', path: '/mend' }],
    });
    const { events } = await playTurn(session, {
      text: 'Look. replay parts',
      attachments: [{ kind: 'text', label: 'Notes', text: 'x'.repeat(4_000) }],
    });
    const [context] = events.flatMap((it) => (it.kind === 'usage' ? [it.context] : []));
    const { used, parts = [] } = context ?? {};
    assert.equal(used, 1_000);
    assert.equal(
      parts.reduce((sum, it) => sum + it.tokens, 0),
      1_000,
    );
    assert.deepEqual(
      parts.map((it) => it.kind),
      ['system', 'instructions', 'tools', 'messages', 'attachments'],
    );
    assert.ok((parts.find((it) => it.kind === 'attachments')?.tokens ?? 0) > 100);
  });

  it('says that a conversation is too short to be summarized', async () => {
    const turn = await playTurn(await open(), { text: '/compact' });
    assert.deepEqual(noticesOf(turn), ['The conversation is too short to be summarized.']);
  });

  it('does not open where the setting asks for models of its own, which it does not have', async () => {
    const offered = async () => undefined;
    await assert.rejects(
      open({}, [], { models: { choice: 'own', offered } }),
      /has no models of its own\. Remove "coder" from the switchboard\.agentModels setting/,
    );
  });

  for (const [what, models, wanted, message] of [
    ['no model', [], undefined, /^No model is available\. Add a key or a local model under Models \+ Endpoints, /],
    ['only patterns', [{ name: 'x/*', dialects: ['chat'] }], undefined, /Add a model with a full name /],
    ['another model', [{ name: 'fake', dialects: ['chat'] }], 'gone', /^The model "gone" is not available: .*Choose /],
  ] as const)
    it(`fails with what to do if the gateway offers ${what}`, async () => {
      const session = await open({}, models);
      const turn = await playTurn(session, { text: 'Hello.', ...(wanted !== undefined && { model: wanted }) });
      assert.match(messageOf(turn) ?? '', message);
    });
});
