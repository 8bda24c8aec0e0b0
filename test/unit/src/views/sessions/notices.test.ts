import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import type { Notice } from '../../../../../sidecar/protocol/hostInfo.ts';
import { commandIds } from '../../../../../src/manifest/manifest.ts';
import { type NoticeInput, noticeRows } from '../../../../../src/views/sessions/notices.ts';
import { english, summary } from '../../../../support/extensionStates.ts';

/** What the inline button of a row is called. */
function titleOf(command: string): string {
  const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../../../../..', name), 'utf8'));
  const { contributes } = read('package.json') as { contributes: { commands: { command: string; title: string }[] } };
  const key = contributes.commands.find((it) => it.command === command)?.title.replaceAll('%', '');
  return (read('package.nls.json') as Record<string, string>)[key ?? ''] ?? '';
}

const calm: NoticeInput = {
  hostFailure: undefined,
  host: [],
  sessions: [summary()],
  folders: [{ name: 'tally' }],
  hasChosenFolder: false,
  settingProblems: [],
  takesSeveralFolders: false,
};
const troubled = (kind: string) => [summary({ _meta: { problem: { kind } } })];
const host = (kind: Notice['kind']) => [{ id: kind, kind, message: 'What, why, what to do.' }];

describe('unhappy flows', () => {
  const flows: readonly [string, Partial<NoticeInput>, string][] = [
    ['no folder open', { folders: [] }, commandIds.openFolder],
    ['several folders', { folders: [{ name: 'a' }, { name: 'b' }] }, commandIds.chooseFolder],
    ['agent command missing', { sessions: troubled('agentMissing') }, commandIds.configureAgents],
    ['agent removed', { sessions: troubled('agentGone') }, commandIds.addRegistryAgent],
    ['sign-in needed', { sessions: troubled('signInNeeded') }, commandIds.signIn],
    ['agent silent', { sessions: troubled('agentSilent') }, commandIds.stopTurn],
    ['a newer window waits', { host: host('newerBuildWaiting') }, commandIds.restartHost],
    ['an older window', { hostFailure: { reason: 'The host is newer.', otherBuild: true } }, commandIds.reloadWindow],
    ['database set aside', { host: host('databaseSetAside') }, commandIds.openDataFolder],
    ['disk full', { host: host('diskFull') }, commandIds.openDataFolder],
    ['the folder takes nothing', { host: host('cannotWrite') }, commandIds.openDataFolder],
    ['nothing can be saved', { host: host('cannotSave') }, commandIds.restartHost],
    ['the agent forgot', { sessions: troubled('forgotEarlierTurns') }, commandIds.attachTranscript],
    ['host failed', { hostFailure: { reason: 'It ended at once.', otherBuild: false } }, commandIds.restartHost],
    ['host stopped', { hostFailure: 'stopped' }, commandIds.restartHost],
    ['a wrong setting', { settingProblems: ['switchboard.agents[0].command: missing'] }, commandIds.configureAgents],
  ];
  for (const [name, input, command] of flows) {
    it(`${name}: one row, one button, words for a person`, () => {
      const rows = noticeRows(english, { ...calm, ...input });
      assert.deepEqual(
        rows.map((it) => it.command),
        [command],
      );
      for (const { label, detail, action } of rows) {
        assert.ok(label && detail);
        assert.equal(action, titleOf(command), 'the row names its button as the button names itself');
      }
    });
  }

  it('say nothing when all is well, and nothing about folders once one was chosen', () => {
    assert.deepEqual(noticeRows(english, calm), []);
    const several = { ...calm, folders: [{ name: 'a' }, { name: 'b' }] };
    assert.deepEqual(noticeRows(english, { ...several, hasChosenFolder: true }), []);
    assert.deepEqual(noticeRows(english, { ...several, takesSeveralFolders: true }), []);
  });

  it('skip a trouble that this version does not know', () => {
    assert.deepEqual(noticeRows(english, { ...calm, sessions: troubled('haunted') }), []);
  });
});
