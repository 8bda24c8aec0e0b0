import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { PERMISSION_DIAL } from '../../../sidecar/protocol/channels/session/permissionDial.ts';
import type { AnyAction } from '../../../sidecar/protocol/envelope.ts';
import {
  type CoderPlace,
  callsOf,
  openCoderPlace,
  type Person,
  playAsPerson,
  type TestedDialect,
  textOf,
} from '../../support/coder/place.ts';
import { recordings, repository } from '../../support/coder/recordings.ts';
import type { HostPeer } from '../../support/host/hostPeer.ts';
import { mcpJson, stdioEntry, whenServer } from '../../support/host/mcpSession.ts';
import type { Workspace } from '../../support/host/workspace.ts';
import { verifies } from '../../support/verifies.ts';

for (const dialect of ['messages', 'responses', 'chat'] satisfies TestedDialect[])
  describe(`the built-in agent with models that speak ${dialect}`, () => {
    let place: CoderPlace;
    let workspace: Workspace;
    let peer: HostPeer;
    let session: string;
    let chat: string;
    before(async () => {
      place = await openCoderPlace(dialect, recordings);
    });
    after(() => place.close());
    beforeEach(() => {
      workspace = place.workspace(repository);
    });
    afterEach(() => peer.close());

    const begin = async (config: Readonly<Record<string, string>> = {}) => {
      peer = await place.connect(workspace);
      ({ session, chat } = await peer.newSession({ provider: 'coder', workingDirectories: [workspace.uri], config }));
    };
    const play = (text: string, person?: Person, model = 'fake') => playAsPerson(peer, chat, { text, model }, person);
    const file = (path: string) => {
      const whole = join(workspace.path, path);
      return existsSync(whole) ? readFileSync(whole, 'utf8') : undefined;
    };
    /** Runs a test of the repository, without the agent. */
    const passes = (name: string) =>
      spawnSync(process.execPath, ['--test', `test/${name}.test.js`], { cwd: workspace.path }).status === 0;
    const named = (turn: Awaited<ReturnType<typeof play>>) =>
      callsOf(turn).map((it) => `${it.toolName} ${it.status === 'completed' && it.success ? 'done' : 'failed'}`);

    it('writes a function with a test, and runs the test', async () => {
      await begin();
      const turn = await play('Write a function that multiplies. replay feature');
      assert.deepEqual(named(turn), ['read done', 'list done', 'write done', 'write done', 'shell done']);
      assert.equal(file('src/product.js'), 'export const product = (a, b) => a * b;\n');
      assert.equal(passes('product'), true);
      assert.match(textOf(turn), /I look first\.[\s\S]*The function and its test are there\./);
    });

    it('renames a function in several files', async () => {
      await begin();
      const turn = await play('Rename sum to add. replay rename');
      assert.deepEqual(named(turn), ['search done', 'edit done', 'patch done', 'shell done']);
      assert.doesNotMatch(`${file('src/sum.js')}${file('src/total.js')}`, /\bsum\b(?!\.js)/);
      assert.equal(passes('total'), true);
    });

    it('fixes a failing test with an edit whose spaces are adjusted, and shows that', async () => {
      await begin();
      assert.equal(passes('half'), false);
      const turn = await play('Mend the test of half. replay mend');
      assert.deepEqual(named(turn), ['shell failed', 'read done', 'edit done', 'shell done']);
      assert.equal(file('src/half.js'), 'export const half = (n) => n / 2;\n');
      assert.equal(passes('half'), true);
      assert.match(JSON.stringify(callsOf(turn)[2]), /adjusted the indentation/);
    });

    it('does not run a destructive command that the user denies, and gets the reason', async () => {
      await begin();
      const asked: unknown[] = [];
      const turn = await play('Clean up. replay destroy', {
        decide: (it) => {
          asked.push(it._meta?.['because']);
          return 'it is precious';
        },
      });
      assert.deepEqual(asked, ['destructive']);
      assert.deepEqual([named(turn), file('keep/precious.txt')], [['shell failed'], 'precious\n']);
      const said = place.model.heard.at(-1)?.flatMap((it) => it.results);
      assert.match(said?.at(-1) ?? '', /denied.*it is precious/);
    });

    it('asks the user, and continues with the answer', async () => {
      await begin();
      const turn = await play('Ask me. replay question', {
        answer: () => ({ answer: { kind: 'selected', value: 'blue' } }),
      });
      const results = place.model.heard.at(-1)?.flatMap((it) => it.results);
      assert.equal(results?.[0], 'The user answered: blue');
      assert.deepEqual([named(turn), file('answer.txt')], [['write done'], 'asked\n']);
    });

    it('delegates to a sub-agent, and gets its report', async () => {
      await begin();
      const turn = await play('Count. replay parent');
      assert.deepEqual(named(turn), ['delegate done']);
      const results = place.model.heard.at(-1)?.flatMap((it) => it.results);
      assert.equal(results?.at(-1), 'There are three files in src.');
      assert.match(textOf(turn), /^The sub-agent counted\.$/);
    });

    it('summarizes the conversation during a turn if the context is almost full, and continues', async () => {
      await begin();
      const turn = await play('Write after.txt. replay compact', {}, 'small');
      assert.deepEqual([named(turn), file('after.txt')], [['read done', 'write done'], 'remembered\n']);
      assert.match(JSON.stringify(turn.responseParts), /the earlier conversation was summarized/);
      const last = place.model.heard.at(-1) ?? [];
      assert.match(last[0]?.texts[0] ?? '', /^Summary of the conversation so far:\n\nThe user wants after\.txt/);
      assert.doesNotMatch(JSON.stringify(last), /of which nobody needs a word/);
      assert.match(textOf(turn), /Done after the summary\./);
    });

    it('continues its conversation after the host was killed during a turn', async () => {
      verifies('host.coder.resumes');
      await begin();
      const lost = play('Write two files. replay resume').catch(() => undefined);
      await peer.until(
        () => JSON.stringify(peer.chat(chat).activeTurn?.responseParts ?? []).includes('Waiting.'),
        'the second answer has begun',
      );
      await place.sidecar.killHost();
      await lost;
      peer.close();
      peer = await place.connect(workspace);
      for (const it of [session, chat]) await peer.subscribe(it);
      const turn = await play('Continue.');
      assert.deepEqual([file('first.txt'), file('second.txt')], ['one\n', 'two\n']);
      const heard = place.model.heard.at(-1) ?? [];
      assert.match(heard[0]?.texts[0] ?? '', /^Write two files\. replay resume$/);
      assert.match(heard.flatMap((it) => it.results)[0] ?? '', /^Created first\.txt\.$/);
      assert.match(textOf(turn), /Second half\./);
      assert.doesNotMatch(JSON.stringify(turn.responseParts), /no longer remembers/);
    });

    it('plans without changing anything, and carries out the plan that the user edited', async () => {
      verifies('host.coder.plans');
      await begin({ mode: 'plan' });
      const turn = await play('Plan it. replay plan', {
        answer: () => ({
          plan: { kind: 'text', value: '1. Write planned.txt with care' },
          next: { kind: 'selected', value: 'start' },
        }),
      });
      assert.deepEqual([file('early.txt'), file('planned.txt')], [undefined, 'planned\n']);
      assert.deepEqual(named(turn), ['read done', 'write done']);
      const results = place.model.heard.at(-1)?.flatMap((it) => it.results) ?? [];
      assert.match(results[0] ?? '', /The tool \\*"write\\*" does not exist or is not available in this mode/);
      assert.ok(results.some((it) => it.includes('1. Write planned.txt with care')));
      await peer.subscribe(session);
      assert.equal(peer.session(session).config?.values['mode'], 'build');
    });

    it('only reads in a read-only session', async () => {
      await begin();
      await peer.act(session, {
        type: 'session/configChanged',
        config: { [PERMISSION_DIAL]: 'readOnly' },
      } as AnyAction);
      const turn = await play('Change something. replay readonly', { decide: () => assert.fail('nobody is asked') });
      assert.deepEqual([named(turn), file('forbidden.txt')], [['read done', 'write failed'], undefined]);
    });

    it('uses a tool of an MCP server of the session', async () => {
      workspace.write({ '.vscode/mcp.json': mcpJson({ mine: stdioEntry() }) });
      await begin();
      await whenServer(peer, session, 'mine', 'ready');
      const turn = await play('Echo. replay mcp');
      assert.deepEqual(named(turn), ['echo done']);
      const results = place.model.heard.at(-1)?.flatMap((it) => it.results);
      assert.equal(results?.at(-1), 'HELLO');
    });

    it('waits at a budget, and continues when the user raises it', async () => {
      await begin();
      await peer.request('x-switchboard/setBudget', { channel: session, limit: { calls: 1 } });
      const seen: (string | undefined)[] = [];
      const turn = await play('Write two files. replay budget', {
        answer: ({ questions }) => {
          seen.push(file('before.txt'), file('behind.txt'));
          const options = questions?.flatMap((it) => ('options' in it ? it.options : [])) ?? [];
          const more = options.find((it) => it.id !== 'stop');
          return { budget: { kind: 'selected', value: more?.id } };
        },
      });
      assert.deepEqual(seen.slice(0, 2), ['before\n', undefined]);
      assert.equal(file('behind.txt'), 'behind\n');
      assert.match(textOf(turn), /Done within the new budget\./);
    });

    it('repeats a call to an overloaded model', async () => {
      await begin();
      const turn = await play('Try. replay flaky');
      assert.match(textOf(turn), /The second try worked\./);
    });
  });
