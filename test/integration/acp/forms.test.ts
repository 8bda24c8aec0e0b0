import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, describe, it } from 'mocha';
import { acpProvider } from '../../../sidecar/agents/acp/provider.ts';
import type { QuestionAnswers } from '../../../sidecar/agents/provider.ts';
import { type Children, openChildren } from '../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import { contextIn, playTurn } from '../../support/playTurn.ts';
import { verifies } from '../../support/verifies.ts';
import { fakeAgent } from '../peers/acp/fakeAgent.ts';

const program = fileURLToPath(new URL('../peers/acp/sdkAgent.child.ts', import.meta.url));
const form = {
  message: 'How should it be deployed?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', description: 'Of the release', minLength: 2, maxLength: 9, default: 'v1' },
      mail: { type: 'string', format: 'email' },
      stage: { type: 'string', enum: ['test', 'live'], default: 'test' },
      region: { type: 'string', oneOf: [{ const: 'eu', title: 'Europe', description: 'Frankfurt' }] },
      copies: { type: 'integer', minimum: 1, maximum: 5, default: 2 },
      share: { type: 'number' },
      dry: { type: 'boolean', default: true },
      parts: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['web', 'worker'] } },
      tags: { type: 'array', items: { anyOf: [{ const: 'a', title: 'First' }] } },
    },
    required: ['name', 'stage'],
  },
};

interface Declared {
  readonly elicitation: object;
  readonly session: object;
}

describe('a form of an ACP agent on the SDK', () => {
  let folder: string;
  let children: Children;
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'switchboard-forms-')));
    children = openChildren(join(folder, 'data', 'children.json'), () => '2026-01-01T00:00:00Z');
  });
  afterEach(() => children.stopAll());
  after(() => rm(folder, { recursive: true, force: true }));

  async function play(shown: object, answer: QuestionAnswers) {
    const agent = { ...fakeAgent([]), args: [program] };
    const provider = acpProvider(agent, { timers: systemTimers, children });
    const session = await provider.open(contextIn(folder), new AbortController().signal);
    const turn = await playTurn(session, { text: JSON.stringify(shown), answer: () => answer });
    assert.equal(turn.failure, undefined);
    return { ...turn, said: JSON.parse(turn.text) as { declared: Declared; answer: object } };
  }

  it('is asked as questions of each kind, and gets the values that a person entered', async () => {
    verifies('host.elicitation.form');
    const values = { name: 'v2', stage: 'live', copies: 3, share: 0.5, dry: false, parts: ['web', 'worker'] };
    const { questions, said } = await play(form, { response: 'accept', values });
    assert.deepEqual(said.answer, { action: 'accept', content: values });
    assert.deepEqual(said.declared.elicitation, { form: {}, url: {} });
    assert.deepEqual(said.declared.session, { configOptions: { boolean: {} }, notices: {}, compaction: {} });
    assert.equal(questions[0]?.message, form.message);
    assert.deepEqual(questions[0]?.questions, [
      {
        id: 'name',
        title: 'Name',
        message: 'Of the release',
        required: true,
        kind: 'text',
        min: 2,
        max: 9,
        defaultValue: 'v1',
      },
      { id: 'mail', message: 'mail', required: false, kind: 'text', format: 'email' },
      {
        id: 'stage',
        message: 'stage',
        required: true,
        kind: 'single-select',
        options: [
          { id: 'test', label: 'test', recommended: true },
          { id: 'live', label: 'live' },
        ],
      },
      {
        id: 'region',
        message: 'region',
        required: false,
        kind: 'single-select',
        options: [{ id: 'eu', label: 'Europe', description: 'Frankfurt' }],
      },
      { id: 'copies', message: 'copies', required: false, kind: 'integer', min: 1, max: 5, defaultValue: 2 },
      { id: 'share', message: 'share', required: false, kind: 'number' },
      { id: 'dry', message: 'dry', required: false, kind: 'boolean', defaultValue: true },
      {
        id: 'parts',
        message: 'parts',
        required: false,
        kind: 'multi-select',
        options: [
          { id: 'web', label: 'web' },
          { id: 'worker', label: 'worker' },
        ],
        min: 1,
        max: 2,
      },
      { id: 'tags', message: 'tags', required: false, kind: 'multi-select', options: [{ id: 'a', label: 'First' }] },
    ]);
  });

  for (const response of ['decline', 'cancel'] as const)
    it(`is told that a person answered with ${response}`, async () => {
      verifies('host.elicitation.form');
      const { said } = await play(form, { response, values: {} });
      assert.deepEqual(said.answer, { action: response });
    });

  const page = { mode: 'url', message: 'Sign in', elicitationId: 'e' };

  it('that is a page is shown with its address, and the agent gets no content', async () => {
    verifies('host.elicitation.url');
    const { questions, said } = await play(
      { ...page, url: 'https://Sign-In.example' },
      { response: 'accept', values: {} },
    );
    assert.deepEqual(said.answer, { action: 'accept' });
    const [{ id: _id, ...asked } = { id: '' }, ...others] = questions;
    assert.deepEqual([asked, others], [{ message: 'Sign in', url: 'https://sign-in.example/', questions: [] }, []]);
  });

  it('that is a page is refused, and nobody is asked, if its address is not of the web', async () => {
    verifies('host.elicitation.url');
    const { questions, said } = await play(
      { ...page, url: 'vscode://switchboard.switchboard/open' },
      { response: 'accept', values: {} },
    );
    assert.deepEqual(questions, []);
    assert.match(JSON.stringify(said.answer), /error/);
  });

  it('is refused if it is of a mode that was not declared, and asks nobody', async () => {
    const { questions, said } = await play({ mode: '_spoken', message: 'Say it' }, { response: 'accept', values: {} });
    assert.deepEqual(questions, []);
    assert.match(JSON.stringify(said.answer), /error/);
  });
});
