import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Redactor } from '../../../../sidecar/platform/redact.ts';
import type { SessionSummary } from '../../../../sidecar/protocol/channels/session/schema.ts';
import type { NewsKind } from '../../../../src/notifications/news.ts';
import { SystemNotifier, type SystemNotifierDeps } from '../../../../src/notifications/systemNotifier.ts';
import { english } from '../../../support/extensionStates.ts';
import { until } from '../../../support/until.ts';

const newsOf = (kind: NewsKind, title: string, resource = `ahp-session:/${title}`) => ({
  kind,
  session: { resource, title } as unknown as SessionSummary,
});

/** The program of Linux runs on every system that runs these tests, other than Windows. */
(process.platform === 'win32' ? describe.skip : describe)('notifications of the operating system', () => {
  let folder: string;
  let notifier: SystemNotifier;
  let warnings: string[];
  /** Each ends with an empty line: what the program is still writing is not there yet. */
  const shown = () => {
    const path = join(folder, 'argv');
    return existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n\n')
          .slice(0, -1)
          .map((it) => it.split('\n'))
      : [];
  };
  const open = (more: Partial<SystemNotifierDeps> = {}) => {
    const redactor = new Redactor();
    notifier = new SystemNotifier({
      l10n: english,
      level: () => 'all',
      quietHours: () => '',
      isFocused: () => false,
      now: () => new Date('2026-11-25T12:00:00'),
      platform: 'linux',
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` },
      clean: (text) => redactor.text(text),
      warn: (it) => warnings.push(it),
      ...more,
    });
    return notifier;
  };

  beforeEach(() => {
    warnings = [];
    folder = mkdtempSync(join(tmpdir(), 'notify-'));
    const program = `#!/bin/sh\n{ for it in "$@"; do printf '%s\\n' "$it"; done; echo; } >> "${folder}/argv"\n`;
    writeFileSync(join(folder, 'notify-send'), program);
    chmodSync(join(folder, 'notify-send'), 0o755);
  });
  afterEach(() => {
    notifier.dispose();
    rmSync(folder, { recursive: true });
  });

  const cases = [
    { kind: 'needsInput', line: 'The session needs you.' },
    { kind: 'finished', line: 'The agent is done.' },
    { kind: 'failed', line: 'The last turn failed.' },
  ] as const;
  for (const { kind, line } of cases)
    it(`1b-20 tells that a session is ${kind}, by its title and one line`, async () => {
      open().tell([newsOf(kind, 'Tidy up')]);
      await until('a notification is shown', () => shown().length > 0);
      assert.deepEqual(shown(), [['--app-name=Switchboard', '--', 'Tidy up', line]]);
    });

  it('tells several that come together once', async () => {
    open().tell([newsOf('needsInput', 'One'), newsOf('needsInput', 'Two')]);
    notifier.tell([newsOf('finished', 'Three')]);
    await until('a notification is shown', () => shown().length > 0);
    assert.deepEqual(shown(), [['--app-name=Switchboard', '--', 'Switchboard', '3 sessions have updates.']]);
  });

  it('gives the program no secret, no hidden character and no long title', async () => {
    const token = `sk-${'a1'.repeat(12)}`;
    open().tell([newsOf('needsInput', `Deploy with ${token}\u202E now ${'x'.repeat(200)}`)]);
    await until('a notification is shown', () => shown().length > 0);
    const [, , title = ''] = shown()[0] ?? [];
    assert.match(title, /^Deploy with \[hidden\]‹U\+202E› now x+…$/);
    assert.equal(title.length, 60);
  });

  it('is silent while the window is focused, in quiet hours, and below the level that is set', async () => {
    let isFocused = true;
    let quietHours = '11:00-13:00';
    let level: 'off' | 'needsInput' = 'off';
    open({ isFocused: () => isFocused, quietHours: () => quietHours, level: () => level });
    notifier.tell([newsOf('needsInput', 'Focused')]);
    isFocused = false;
    notifier.tell([newsOf('needsInput', 'Quiet')]);
    quietHours = '';
    notifier.tell([newsOf('needsInput', 'Off')]);
    level = 'needsInput';
    notifier.tell([newsOf('finished', 'Finished')]);
    // The last one is shown, and would have the others beside it.
    notifier.tell([newsOf('needsInput', 'Heard')]);
    await until('a notification is shown', () => shown().length > 0);
    assert.deepEqual(
      shown().map((it) => it[2]),
      ['Heard'],
    );
  });

  it('says in the log that the program is missing, and does not try again', async () => {
    open({ env: { PATH: folder } });
    rmSync(join(folder, 'notify-send'));
    notifier.tell([newsOf('failed', 'One')]);
    await until('the missing program is logged', () => warnings.length > 0);
    assert.deepEqual(warnings, ['notify-send showed no notification: ENOENT']);
    notifier.tell([newsOf('failed', 'Two')]);
    assert.equal(warnings.length, 1);
  });
});
