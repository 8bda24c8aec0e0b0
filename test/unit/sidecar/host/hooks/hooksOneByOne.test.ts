import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Hook } from '../../../../../sidecar/host/hooks/hookFile.ts';
import { TurnHooks } from '../../../../../sidecar/host/hooks/turnHooks.ts';
import { type Children, openChildren } from '../../../../../sidecar/platform/children/children.ts';
import { processTable } from '../../../../../sidecar/platform/children/processTable.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { until } from '../../../../support/until.ts';

describe('hooks, run one after the other', () => {
  let workspace: Workspace;
  let children: Children;
  const told: string[] = [];
  beforeEach(() => {
    told.length = 0;
    workspace = openWorkspace();
    children = openChildren(join(workspace.path, 'children.json'), () => '2026-01-01T00:00:00Z');
  });
  afterEach(async () => {
    await children.stopAll();
    workspace.remove();
  });
  const at = (name: string) => join(workspace.path, name);

  /** The hooks of a turn's end, and when their time is up. */
  function open(commands: readonly string[], isTrusted = () => true) {
    const timers: (() => void)[] = [];
    const hooks = commands.map(
      (text): Hook => ({
        event: 'turnEnd',
        dialect: 'snake',
        label: text,
        eventName: 'Stop',
        run: { kind: 'shell', text },
        cwd: workspace.path,
        env: {},
        timeoutMs: 60_000,
      }),
    );
    let stopped = 0;
    const turn = new TurnHooks({
      children: {
        async spawn(request) {
          const child = await children.spawn(request);
          return { ...child, stop: (graceMs) => child.stop(graceMs).then(() => void (stopped += 1)) };
        },
      },
      session: 's',
      env: { PATH: process.env['PATH'] ?? '' },
      timers: {
        after(_delayMs, work) {
          timers.push(work);
          return () => void timers.splice(timers.indexOf(work), 1);
        },
      },
      found: { hooks, problems: [] },
      isTrusted,
      clock: { now: () => '2026-01-01T00:00:00Z' },
      notify: (sentence) => void told.push(sentence),
      notified: new Set(),
      signal: new AbortController().signal,
    });
    return { turn, timers, stopped: () => stopped };
  }

  it('do not run any more when the window took its trust back while the one before ran', async () => {
    const { turn } = open(['touch first', 'touch second'], () => !existsSync(at('first')));
    assert.equal(await turn.turnEnds(), undefined);
    assert.deepEqual([existsSync(at('first')), existsSync(at('second')), told], [true, false, []]);
  });

  it('leave nothing behind of what they started, in their group of processes or out of it', async () => {
    workspace.write({
      'start.cjs': `const { spawn } = require('node:child_process');
        const left = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { detached: true, stdio: 'ignore' });
        require('node:fs').writeFileSync('pid', String(left.pid));
        left.unref();`,
    });
    const { turn, stopped } = open([`"${process.execPath}" start.cjs`]);
    await turn.turnEnds();
    assert.equal(stopped(), 1, 'its group was ended before the hook counts as run');
    const pid = Number(readFileSync(at('pid'), 'utf8'));
    assert.ok(pid > 1);
    await until('what it started has ended', () => !processTable().some((it) => it.pid === pid));
  });

  it('are not heard when they end well only because their time is up', async () => {
    const answer = '{"decision":"block","reason":"go on"}';
    const { turn, timers } = open([
      `trap 'echo ${JSON.stringify(answer)}; exit 0' TERM; touch ready; while :; do sleep 0.01; done`,
    ]);
    const ending = turn.turnEnds();
    await until('it runs', () => existsSync(at('ready')) && timers.length > 0);
    timers[0]?.();
    assert.equal(await ending, undefined, 'it does not have the agent go on');
    assert.match(told.join(), /did not finish within 60 seconds/);
  });

  it('are reported for what ended them first, whatever came while they ended', async () => {
    const { turn, timers } = open([
      `trap 'head -c 70000 /dev/zero; exit 0' TERM; touch ready; while :; do sleep 0.01; done`,
    ]);
    const ending = turn.turnEnds();
    await until('it runs', () => existsSync(at('ready')) && timers.length > 0);
    timers[0]?.();
    await ending;
    assert.match(told.join(), /did not finish within 60 seconds/);
    assert.doesNotMatch(told.join(), /it wrote more/);
  });
});
