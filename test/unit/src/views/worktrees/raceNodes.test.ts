import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RaceCheck } from '../../../../../sidecar/protocol/channels/session/race.ts';
import type { SessionSummary } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { status } from '../../../../../sidecar/protocol/status.ts';
import { raceNode, racerNodes } from '../../../../../src/views/worktrees/race/raceNodes.ts';
import { racesOf } from '../../../../../src/views/worktrees/race/races.ts';
import { english as l10n } from '../../../../support/extensionStates.ts';

const racer = (name: string, more: Partial<SessionSummary> = {}, check?: RaceCheck, id = 'r'): SessionSummary => ({
  resource: `host-session:/${name}`,
  provider: name.split('-')[0]!,
  title: 'Raise the prices',
  status: status.Idle,
  createdAt: '2026-01-01T00:00:00.000Z',
  modifiedAt: '2026-01-01T00:00:42.000Z',
  _meta: { race: { id, base: 'a'.repeat(40), ...(check && { check }) } },
  ...more,
});
const nameOf = (provider: string) => provider.toUpperCase();

describe('the rows of a race', () => {
  it('say of each session its state, time, cost, changes and check, side by side', () => {
    const [race] = racesOf([
      racer('ana', { changes: { files: 2, additions: 3, deletions: 1 } }, { command: 'npm test', state: 'passed' }),
      racer('ben-1', { status: status.InProgress }, { command: 'npm test', state: 'waiting' }),
      racer('ben-2', { status: status.Error }, { command: 'npm test', state: 'failed', output: 'not ok 1' }),
    ]);
    assert.ok(race);
    const { label, description, contextValue } = raceNode(l10n, race);
    assert.deepEqual([label, description, contextValue], ['Race: Raise the prices', '2 of 3 done', 'race check']);
    assert.deepEqual(
      racerNodes(l10n, race, nameOf).map((it) => [it.label, it.description, it.icon, it.contextValue]),
      [
        ['ANA', 'done · check passed · 42 s · 2 files · +3 −1', 'pass', 'racer done'],
        ['BEN 1', 'running', 'circle-filled', 'racer'],
        ['BEN 2', 'failed · check failed · 42 s', 'error', 'racer done'],
      ],
    );
    assert.match(racerNodes(l10n, race, nameOf)[2]!.tooltip, /npm test\nnot ok 1$/);
  });

  it('mark a session whose worktree could not be set up, and say why', () => {
    const setUp = { command: 'npm ci', state: 'failed', exitCode: 1, output: 'no network' };
    const [race] = racesOf([racer('ana'), racer('ben', { _meta: { ...racer('ben')._meta, setUp } })]);
    const [fine, failed] = racerNodes(l10n, race!, nameOf);
    assert.deepEqual([fine!.description, fine!.icon], ['done · 42 s', 'check']);
    assert.deepEqual([failed!.description, failed!.icon], ['done · set-up failed · 42 s', 'warning']);
    assert.match(failed!.tooltip, /Set-up: npm ci\nno network$/);
  });

  it('are of sessions that race, the newest race first', () => {
    const { _meta: _none, ...other } = racer('cy');
    const races = racesOf([
      racer('ana', {}, undefined, 'old'),
      other,
      racer('ben', { createdAt: '2026-01-02T00:00:00.000Z' }, undefined, 'new'),
    ]);
    assert.deepEqual(
      races.map((it) => [it.id, it.racers.map((one) => one.session.provider)]),
      [
        ['new', ['ben']],
        ['old', ['ana']],
      ],
    );
  });
});
