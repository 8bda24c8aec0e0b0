import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { AcpLimits } from '../../sidecar/agents/acp/acpDeps.ts';
import { acpProvider } from '../../sidecar/agents/acp/provider.ts';
import type { AgentSession, Attachment, SessionContext, TurnEvent } from '../../sidecar/agents/provider.ts';
import { UsageLimitReached } from '../../sidecar/agents/usageLimits.ts';
import { type Children, openChildren } from '../../sidecar/platform/children/children.ts';
import { Fault } from '../../sidecar/platform/faults.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import { contextIn, playTurn } from '../support/playTurn.ts';
import { settlesInTime } from '../support/settlesInTime.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';
import { fakeAgent } from './peers/acp/fakeAgent.ts';

describe('an ACP agent', () => {
  let folder: string;
  let children: Children;
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'switchboard-acp-')));
    children = openChildren(join(folder, 'data', 'children.json'), () => '2026-01-01T00:00:00Z');
  });
  afterEach(() => children.stopAll());
  after(() => rm(folder, { recursive: true, force: true }));

  const never = new AbortController().signal;
  const open = (
    flags: string[] = [],
    more: Partial<SessionContext> = {},
    limits: Partial<AcpLimits> = {},
  ): Promise<AgentSession> =>
    acpProvider(fakeAgent(flags), { timers: systemTimers, children, limits }).open(contextIn(folder, more), never);
  const refusal = async (opening: Promise<unknown>): Promise<Fault> => {
    const thrown = await opening.then(
      () => assert.fail('it opened'),
      (it: unknown) => it,
    );
    assert.ok(thrown instanceof Fault, String(thrown));
    assert.deepEqual(children.list(), [], 'a process was left behind');
    return thrown;
  };
  const kinds = (events: readonly TurnEvent[]) => events.map((it) => it.kind);

  it('whose command is missing is refused with the command and what to do', async () => {
    const provider = acpProvider({ ...fakeAgent([]), command: 'no-such-agent' }, { timers: systemTimers, children });
    const fault = await refusal(provider.open(contextIn(folder), never));
    assert.equal(fault.code, 'command_missing');
    assert.match(fault.message, /"no-such-agent" was not found\. Install it, or correct the .+ command/);
  });
  it('that never answers is refused when the limit is over', async () => {
    const fault = await refusal(open(['--silent'], {}, { openMs: 300 }));
    assert.deepEqual([fault.code, /Fake did not respond within/.test(fault.message)], ['unavailable', true]);
  });
  it('that is closed while it opens leaves nothing behind', async () => {
    const fault = await refusal(
      acpProvider(fakeAgent(['--silent']), { timers: systemTimers, children }).open(
        contextIn(folder),
        AbortSignal.timeout(200),
      ),
    );
    assert.equal(fault.code, 'unavailable');
  });
  it('says what its form and its models offer, completes values while somebody types, and is told what was chosen', async () => {
    const session = await open(['--offer=form,models,many'], { config: { retries: 4 } });
    const { form, models, properties } = session.options;
    assert.deepEqual(
      [form?.properties['branch']?.enumDynamic, form?.properties['plan']?.readOnly, form?.required],
      [true, true, ['branch']],
    );
    assert.equal(form?.values['retries'], 4);
    assert.deepEqual(Object.keys(models[0]?.form?.properties ?? {}), ['thinking', 'budget']);
    assert.equal(models[1]?.policyState, 'disabled');
    assert.equal(properties[0]?.values.length, 120);
    const found = await session.completeOption?.({ property: 'branch', query: 'release/19', config: {} });
    assert.deepEqual(found?.[0], { value: 'release/19', label: 'release/19', description: 'a branch' });
    await session.configure?.({ paths: ['a', 'b'], unknown: 1 });
    const { text } = await playTurn(session, { text: 'settings', model: 'small', modelConfig: { thinking: 'high' } });
    const said = JSON.parse(text) as Record<string, unknown>;
    assert.deepEqual(
      [said['retries'], said['paths'], said['unknown'], said['model']],
      [4, ['a', 'b'], undefined, { modelConfig: { thinking: 'high' } }],
    );
    await session.close();
  });
  it('that dies at its start is refused with its last words', async () => {
    assert.match(
      (await refusal(open(['--crash-at-start']))).message,
      /stopped unexpectedly \(exit code 3\): cannot start: a library is missing/,
    );
  });
  it('that dies at its first start is started once more', async () => {
    const session = await open([`--crash-once=${join(folder, 'started')}`]);
    assert.equal((await playTurn(session, { text: 'say it works' })).text, 'it works');
    await session.close();
  });
  it('that wants a sign-in is refused with the methods', async () => {
    const fault = await refusal(open(['--auth']));
    assert.equal(fault.code, 'auth_required');
    assert.match(fault.message, /Fake needs you to sign in/);
    assert.deepEqual(fault.data, { agent: 'fake', methods: [{ id: 'fake-login', name: 'Fake Login' }] });
  });
  it('that names its own sign-in is refused with the command for a terminal', async () => {
    const { data } = await refusal(open(['--auth=terminal']));
    assert.deepEqual((data as { terminal: unknown }).terminal, {
      command: '/opt/fake',
      args: ['login'],
      env: {},
      label: 'Fake Login',
    });
  });
  it('that reads a variable gets the token of its resource there, and is refused with that resource without one', async () => {
    const metadata = { resource: 'https://vault.test', resource_name: 'The vault' };
    const provider = acpProvider(
      { ...fakeAgent(['--token=FAKE_API_KEY']), protectedResources: [{ env: 'FAKE_API_KEY', metadata }] },
      { timers: systemTimers, children },
    );
    assert.deepEqual(provider.protectedResources, [metadata]);
    const { code, message, data } = await refusal(provider.open(contextIn(folder), never));
    assert.equal(code, 'auth_required');
    assert.equal(message, 'Fake needs you to sign in. Sign in to The vault, and then try again.');
    assert.deepEqual((data as { resources: unknown }).resources, [metadata]);
    const token = (resource: string) => (resource === metadata.resource ? 'canary-token' : undefined);
    const session = await provider.open(contextIn(folder, { token }), never);
    const turn = await playTurn(session, { text: 'crash' });
    assert.match(String(turn.failure), /exit code 7\): fatal: the key is \[removed\]/);
  });
  it('that reads a variable of which nothing is declared is refused with its name', async () => {
    const { message } = await refusal(open(['--token=FAKE_TOKEN']));
    assert.match(message, /Set FAKE_TOKEN in the editor's environment/);
  });
  it('that dies in mid-turn fails the turn and is gone once, with its last words but not its key', async () => {
    const session = await open([], { env: { PATH: process.env['PATH'] ?? '', FAKE_API_KEY: 'canary-7f3a' } });
    const reasons: string[] = [];
    session.onGone((reason) => reasons.push(reason));
    const turn = await playTurn(session, { text: 'crash' });
    assert.equal(turn.text, 'half a wo');
    assert.ok(turn.failure instanceof Fault && turn.failure.code === 'unavailable');
    assert.deepEqual(reasons, ['Fake stopped unexpectedly (exit code 7): fatal: the key is [removed]']);
    assert.equal(turn.failure.message, reasons[0]);
    const next = await playTurn(session, { text: 'say x' });
    assert.ok(next.failure instanceof Fault && next.failure.code === 'unavailable');
  });
  it('gets the variables named for it and no others', async () => {
    await open([], { env: { PATH: process.env['PATH'] ?? '', FAKE_A: '1', GITHUB_TOKEN: 'canary', NODE_OPTIONS: '' } });
    const environ = readFileSync(`/proc/${children.list()[0]?.pid}/environ`, 'utf8');
    assert.match(environ, /FAKE_A=1/);
    assert.doesNotMatch(environ, /canary|NODE_OPTIONS/);
  });
  it('that ignores a cancel is ended within 5 s', async () => {
    const session = await open(['--deaf'], {}, { cancelMs: 200 });
    const abort = new AbortController();
    setImmediate(() => abort.abort());
    const turn = await settlesInTime(abort.signal, playTurn(session, { text: 'wait', signal: abort.signal }));
    assert.deepEqual([turn.failure, children.list()], [undefined, []]);
  });
  it('takes along a child that left its group', async () => {
    const session = await open();
    const { text } = await playTurn(session, { text: 'fork' });
    await session.close();
    await until('the child is gone', () => !isAlive(Number(text)));
  });
  it('gets -32601 for what we do not know, and silence for notifications', async () => {
    const turn = await playTurn(await open(), { text: 'odd' });
    assert.deepEqual([turn.text, turn.failure], ['code -32601', undefined]);
    assert.deepEqual(kinds(turn.events), ['toolStarted', 'toolRunning', 'toolEnded', 'text', 'usage']);
  });
  it('that offers two options of one kind is answered with the first', async () => {
    const turn = await playTurn(await open(['--two-of-a-kind']), { text: 'run true' });
    assert.equal(
      turn.events.some((it) => it.kind === 'toolEnded' && it.success),
      true,
    );
  });
  it('that runs a command without asking is shown as running', async () => {
    const turn = await playTurn(await open(), { text: 'runs echo x' });
    assert.deepEqual([turn.asked.length, kinds(turn.events).slice(0, 2)], [0, ['toolStarted', 'toolRunning']]);
  });
  it('says thoughts, plans and usage as such', async () => {
    const session = await open();
    assert.deepEqual(kinds((await playTurn(session, { text: 'think' })).events), ['reasoning', 'text', 'usage']);
    const [plan] = (await playTurn(session, { text: 'plan' })).events;
    assert.deepEqual(plan, {
      kind: 'notice',
      markdown: '- [x] first\n- [ ] second',
      plan: [
        { text: 'first', state: 'done' },
        { text: 'second', state: 'open' },
      ],
    });
  });
  it('reports its context and the cost of the session beside the tokens of its answer, each number once', async () => {
    verifies('host.usage.context');
    const turn = await playTurn(await open(), { text: 'spend' });
    const context = (used: number) => ({ kind: 'usage', inputTokens: used, context: { used, size: 1000 } });
    const cost = { amount: 0.5, currency: 'USD' };
    assert.deepEqual(
      turn.events.filter((it) => it.kind === 'usage'),
      [
        context(100),
        { ...context(250), cost },
        { ...context(300), cost },
        { ...context(300), inputTokens: 3, outputTokens: 5, cost },
      ],
    );
    assert.equal(turn.text, 'ab');
    assert.equal(new Set(turn.events.flatMap((it) => (it.kind === 'text' ? [it.partId] : []))).size, 1);
  });
  it('that reaches a usage limit fails with the end of the limit that it reported', async () => {
    const { failure } = await playTurn(await open(), { text: 'limited 1772456400' });
    assert.ok(failure instanceof UsageLimitReached);
    assert.equal(failure.message, "Fake reached a usage limit: You've hit your limit.");
    assert.deepEqual(failure.reset, { atMs: 1_772_456_400_000 });
  });
  it('that only reports its context with a prompt is shown with what the model was given', async () => {
    verifies('host.usage.context');
    const turn = await playTurn(await open(['--counts-nothing']), { text: 'spend' });
    const last = turn.events.findLast((it) => it.kind === 'usage');
    assert.deepEqual(
      [last?.inputTokens, last?.outputTokens, last?.context],
      [300, undefined, { used: 300, size: 1000 }],
    );
  });
  for (const [reason, said] of [
    ['max_tokens', /stopped because the response reached the maximum length/],
    ['max_turn_requests', /stopped because it reached the maximum number of requests for one turn/],
    ['refusal', /declined/],
    ['brand_new', undefined],
  ] as const) {
    it(`that stops for ${reason} ${said ? 'says so' : 'just ends'}`, async () => {
      const turn = await playTurn(await open(), { text: `stop ${reason}` });
      const notice = turn.events.find((it) => it.kind === 'notice');
      if (said) assert.match(notice?.kind === 'notice' ? notice.markdown : '', said);
      else assert.equal(notice, undefined);
      assert.equal(turn.failure, undefined);
    });
  }

  it('writes through its client, after its preview was confirmed', async () => {
    const path = join(folder, 'written.txt');
    const turn = await playTurn(await open(), { text: `edit ${path}` });
    assert.deepEqual(
      [turn.asked[0]?.kind, turn.asked[0]?.paths, turn.asked[0]?.preview],
      ['edit', [path], [{ path, after: 'new text\n' }]],
    );
    assert.equal(await readFile(path, 'utf8'), 'new text\n');
  });
  it('reads a file that is not there as empty, and gets an error outside the folders', async () => {
    const session = await open();
    await writeFile(join(folder, 'there'), 'x');
    assert.equal((await playTurn(session, { text: `read ${folder}/there` })).text, 'read [x]');
    assert.equal((await playTurn(session, { text: `read ${folder}/missing` })).text, 'read []');
    verifies('host.agent.file-errors');
    assert.equal((await playTurn(session, { text: 'read /etc/hostname' })).text, 'error -32602 outside the session');
  });

  const attachments: Attachment[] = [
    { kind: 'text', label: 'note', text: 'n' },
    { kind: 'data', label: 'p.png', base64: 'AA==', contentType: 'image/png' },
    { kind: 'file', label: 'f', path: '/repo/a b.ts' },
  ];
  it('gets attachments as it can take them', async () => {
    const rich = await playTurn(await open(['--image', '--embedded']), { text: 'blocks', attachments });
    assert.deepEqual(JSON.parse(rich.text), [
      { type: 'resource', resource: { uri: 'attachment:///note', text: 'n', mimeType: 'text/plain' } },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'file:///repo/a%20b.ts', name: 'a b.ts' },
    ]);
    const plain = await playTurn(await open(), { text: 'blocks', attachments });
    assert.deepEqual(
      JSON.parse(plain.text).map((it: { type: string }) => it.type),
      ['text', 'text', 'resource_link'],
    );
  });

  it('goes on with an earlier conversation without saying it again', async () => {
    const session = await open(['--load=ok'], { resumeId: 'earlier' });
    assert.deepEqual([session.resumeId, session.forgotEarlierTurns], ['earlier', false]);
    assert.equal((await playTurn(session, { text: 'say x' })).text, 'x');
  });
  for (const flags of [['--load=refused'], []]) {
    it(`says that it forgot earlier turns (${flags[0] ?? 'it never learnt to load'})`, async () => {
      const session = await open(flags, { resumeId: 'earlier' });
      assert.deepEqual([session.resumeId, session.forgotEarlierTurns], ['fake-session', true]);
    });
  }
  it('that needs a sign-in to go on says so, and begins no other conversation in its place', async () => {
    const fault = await refusal(open(['--load=sign-in'], { resumeId: 'earlier' }));
    assert.equal(fault.code, 'auth_required');
  });

  for (const { offer, properties, model } of [
    { offer: '', properties: [], model: undefined },
    { offer: 'modes', properties: ['mode=ask'], model: undefined },
    { offer: 'models', properties: [], model: 'small' },
    { offer: 'modes,models', properties: ['mode=ask'], model: 'small' },
    { offer: 'config', properties: ['mode=ask', 'web=false'], model: 'auto' },
    { offer: 'modes,models,config', properties: ['mode=ask', 'web=false'], model: 'auto' },
    { offer: 'urls', properties: ['mode=https://agent.example/modes/ask'], model: undefined },
  ]) {
    it(`that offers ${offer || 'nothing'} has the options ${[...properties, model].join(', ')}`, async () => {
      const { options } = await open([`--offer=${offer}`]);
      assert.deepEqual([options.properties.map((it) => `${it.id}=${it.value}`), options.model], [properties, model]);
    });
  }
  it('has the values that were chosen before it was opened, and those chosen later', async () => {
    const session = await open(['--offer=modes,models'], { config: { mode: 'yolo', unknown: 1 } });
    assert.equal(session.options.properties[0]?.value, 'yolo');
    let told = 0;
    session.onOptions(() => (told += 1));
    await session.configure?.({ mode: 'ask' });
    await playTurn(session, { text: 'say x', model: 'large' });
    assert.deepEqual([session.options.properties[0]?.value, session.options.model, told], ['ask', 'large', 2]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return !/^\S+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
