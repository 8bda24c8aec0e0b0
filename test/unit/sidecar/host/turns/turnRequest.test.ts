import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { AgentSession, CustomAgent, TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import { asCustomAgent, toTurnRequest } from '../../../../../sidecar/host/turns/turnRequest.ts';
import type { Message } from '../../../../../sidecar/protocol/shared.ts';

const range = { start: { line: 1, character: 0 }, end: { line: 3, character: 2 } };
const message = (more: Partial<Message>): Message => ({ text: 'Do it', origin: { kind: 'user' }, ...more });
const label = 'It';

describe('what an agent is asked with a message', () => {
  for (const { attachment, as, becomes } of [
    {
      attachment: 'a text',
      as: { type: 'simple', label, modelRepresentation: 'long' },
      becomes: { kind: 'text', text: 'long' },
    },
    { attachment: 'a text that is only named', as: { type: 'simple', label }, becomes: { kind: 'text', text: label } },
    {
      attachment: 'data',
      as: { type: 'embeddedResource', label, data: 'AAA=', contentType: 'image/png' },
      becomes: { kind: 'data', base64: 'AAA=', contentType: 'image/png' },
    },
    {
      attachment: 'a file',
      as: { type: 'resource', label, uri: 'file:///a.ts' },
      becomes: { kind: 'file', path: '/a.ts' },
    },
    {
      attachment: 'lines of a file, which a person counts from one',
      as: { type: 'resource', label, uri: 'file:///a.ts', selection: { range } },
      becomes: { kind: 'file', path: '/a.ts', lines: [2, 4] },
    },
    {
      attachment: 'what is no file by its address',
      as: { type: 'resource', label, uri: 'https://a.test/b' },
      becomes: { kind: 'text', text: 'https://a.test/b' },
    },
    { attachment: 'nothing of a kind that nobody knows', as: { type: 'later', label }, becomes: undefined },
  ])
    it(`has ${attachment}`, () => {
      const { attachments } = toTurnRequest(
        't',
        message({ attachments: [as] as Message['attachments'] & {} }),
        undefined,
      );
      assert.deepEqual(attachments, becomes ? [{ label, ...becomes }] : []);
    });

  for (const { names, of, agents, expected } of [
    {
      names: 'the model of the message before that of the agent',
      of: { model: { id: 'small', config: { effort: 'low' } } },
      agents: 'large',
      expected: { model: 'small', modelConfig: { effort: 'low' } },
    },
    {
      names: 'the model of the agent where the message has none',
      of: {},
      agents: 'large',
      expected: { model: 'large' },
    },
    { names: 'no model where there is none', of: {}, agents: undefined, expected: {} },
  ])
    it(`names ${names}`, () => {
      const request = toTurnRequest('t', message(of as Partial<Message>), agents);
      assert.deepEqual(request, { turnId: 't', text: 'Do it', attachments: [], ...expected });
    });

  const agent = (model?: string): Pick<AgentSession, 'options'> => ({
    options: {
      models: [
        { id: 'm1', name: 'Large' },
        { id: 'm2', name: 'Small' },
      ],
      ...(model !== undefined && { model }),
      properties: [],
      commands: [],
    },
  });
  const modelConfig = { effort: 'low' };
  for (const { says, request, wanted, expected } of [
    { says: 'by its id', request: { model: 'm1', modelConfig }, wanted: 'm2', expected: { model: 'm2' } },
    { says: 'by its name', request: { model: 'm1', modelConfig }, wanted: 'Small', expected: { model: 'm2' } },
    { says: 'where the message names none', request: {}, wanted: 'm2', expected: { model: 'm2' } },
    {
      says: 'and not where the agent has no such model',
      request: { model: 'm1', modelConfig },
      wanted: 'm3',
      expected: { model: 'm1', modelConfig },
    },
    {
      says: 'and not where the message names another than the usual one',
      request: { model: 'm3', modelConfig },
      wanted: 'm2',
      expected: { model: 'm3', modelConfig },
    },
    {
      says: 'and not where it asks for none',
      request: { model: 'm1', modelConfig },
      wanted: undefined,
      expected: { model: 'm1', modelConfig },
    },
  ])
    it(`takes the model that a custom agent asks for, ${says}`, () => {
      const base: TurnRequest = { turnId: 't', text: 'Do it', attachments: [] };
      const custom = { name: 'Reviewer', instructions: 'Review.', ...(wanted !== undefined && { model: wanted }) };
      const played = asCustomAgent({ ...base, ...request }, agent('m1') as AgentSession, custom as CustomAgent);
      const customAgent = { name: 'Reviewer', instructions: 'Review.' };
      assert.deepEqual(played, { ...base, ...expected, customAgent });
    });

  it('stays as it is where no custom agent was chosen', () => {
    const request: TurnRequest = { turnId: 't', text: 'Do it', attachments: [], model: 'm1', modelConfig };
    assert.equal(asCustomAgent(request, agent('m1') as AgentSession, undefined), request);
  });
});
