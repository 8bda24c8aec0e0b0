import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { providersFor } from '../../sidecar/agents/index.ts';
import type { AgentSession, ToolFacts } from '../../sidecar/agents/provider.ts';
import { type Children, openChildren } from '../../sidecar/platform/children/children.ts';
import { processTable } from '../../sidecar/platform/children/processTable.ts';
import { Fault } from '../../sidecar/platform/faults.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import { installAgents, realAgents } from '../support/agents/realAgents.ts';
import { type ModelServer, startModel } from '../support/model/server.ts';
import { contextIn, type PlayedTurn, playTurn } from '../support/playTurn.ts';
import { say } from '../support/say.ts';
import { until } from '../support/until.ts';

const bin = await installAgents();
const scores: string[] = [];

describe('real agents', () => {
  after(() => say(scores.join(', ')));
  for (const agent of realAgents(bin)) {
    const { id } = agent.setting;
    describe(id, () => {
      let root: string;
      let folder: string;
      let model: ModelServer;
      let children: Children;
      let session: AgentSession;
      let passed = 0;
      before(async () => {
        root = await realpath(await mkdtemp(join(tmpdir(), `switchboard-${id}-`)));
        folder = join(root, 'work');
        await mkdir(folder);
        model = await startModel();
        children = openChildren(join(root, 'data', 'children.json'), () => new Date().toISOString());
        const env = agent.env(join(root, 'home'), model.url);
        const provider = providersFor({
          timers: systemTimers,
          newId: () => 'unused',
          agents: [agent.setting],
          env,
          wellKnown: false,
          children,
        }).find((it) => it.id === id);
        assert.ok(provider);
        session = await provider.open(contextIn(folder, { env }), new AbortController().signal);
      });
      after(async () => {
        await session?.close();
        await children.stopAll();
        await model.close();
        await rm(root, { recursive: true, force: true, maxRetries: 5 });
        scores.push(`${id} ${passed}/7`);
      });
      const check = (title: string, test: () => Promise<void>) =>
        it(title, async () => {
          await test();
          passed += 1;
        });

      check('answers with text', async () => {
        const turn = await playTurn(session, { text: 'say Hello from the model.' });
        assert.equal(turn.failure, undefined);
        assert.match(turn.text, /Hello from the model\./);
      });
      check('changes a file after it was confirmed', async () => {
        await writeFile(join(folder, 'edited.txt'), 'one\ntwo\nthree\n');
        const path = join(folder, 'edited.txt');
        const turn = await playTurn(session, { text: `read ${path}\nedit ${path} "two", "TWO"` });
        assert.equal(turn.failure, undefined);
        assert.equal(await readFile(path, 'utf8'), 'one\nTWO\nthree\n', describeTurn(turn));
        const edit = turn.asked.find((facts) => facts.kind === 'edit');
        assert.deepEqual(edit?.paths, [path], describeTurn(turn));
      });
      check('runs a command after it was confirmed, with the exact command', async () => {
        const turn = await playTurn(session, { text: `shell echo made > ${folder}/made.txt && cat made.txt` });
        assert.deepEqual(commands(turn.asked), [`echo made > ${folder}/made.txt && cat made.txt`], describeTurn(turn));
        assert.equal(await readFile(join(folder, 'made.txt'), 'utf8'), 'made\n');
      });
      check('does not run what was denied', async () => {
        const turn = await playTurn(session, {
          text: 'shell echo denied > denied.txt',
          decide: () => ({ allow: false }),
        });
        assert.equal(turn.failure, undefined);
        await assert.rejects(readFile(join(folder, 'denied.txt')));
        assert.ok(
          turn.events.some((it) => it.kind === 'toolEnded' && !it.success),
          describeTurn(turn),
        );
      });
      check('is told the reason of a denial', async () => {
        const turn = await playTurn(session, {
          text: 'shell echo denied > denied.txt',
          decide: () => ({ allow: false, reason: 'use the blue door' }),
        });
        assert.equal(turn.failure, undefined);
        assert.match(turn.text, /You said:[\s\S]*use the blue door/, describeTurn(turn));
      });
      check('settles within 5 s of a cancel, and goes on', async () => {
        const abort = new AbortController();
        let cancelledAt = 0;
        const turn = await playTurn(session, {
          text: 'hang',
          signal: abort.signal,
          onEvent: (event) => {
            if (event.kind !== 'text' || abort.signal.aborted) return;
            cancelledAt = performance.now();
            abort.abort();
          },
        });
        assert.equal(turn.failure, undefined);
        assert.ok(performance.now() - cancelledAt < 5_000);
        assert.match((await playTurn(session, { text: 'say Still here.' })).text, /Still here\./);
      });
      check('says so when it was killed, and leaves no process', async () => {
        const reasons: string[] = [];
        session.onGone((reason) => reasons.push(reason));
        const [entry] = children.list();
        assert.ok(entry);
        const turn = await playTurn(session, {
          text: 'hang',
          onEvent: (event) => {
            if (event.kind === 'text') process.kill(entry.pid, 'SIGKILL');
          },
        });
        assert.ok(turn.failure instanceof Fault && turn.failure.code === 'unavailable', describeTurn(turn));
        assert.equal(reasons.length, 1);
        await until('no process is left', () => !processTable().some((it) => it.pgid === entry.pid));
      });
    });
  }
});

function commands(asked: readonly ToolFacts[]): readonly (string | undefined)[] {
  return asked.map((it) => it.command);
}

/** For a failed test: what the agent did instead. */
function describeTurn(turn: PlayedTurn): string {
  const other = turn.events.filter((it) => it.kind !== 'text');
  return JSON.stringify({ text: turn.text, other, asked: turn.asked, failure: String(turn.failure) }, null, 1).slice(
    0,
    6_000,
  );
}
