import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type Choosing, type ChosenEditor, chooseEditor } from '../../../../support/editor/chooseEditor.ts';
import { desktopCommand } from '../../../../support/editor/desktopCommand.ts';

const downloads = async () => '/cache/code';
const refuses = async () => {
  throw new Error('getaddrinfo ENOTFOUND update.example\n    at somewhere');
};

describe('the editor that the suites run in', () => {
  const cases: { says: string; choosing: Choosing; expected: ChosenEditor }[] = [
    {
      says: 'VSCODE_PATH, where it is named',
      choosing: { env: { VSCODE_PATH: '/opt/code' }, platform: 'linux', download: refuses },
      expected: { kind: 'desktop', executable: '/opt/code' },
    },
    {
      says: 'a downloaded desktop editor, where it can be had',
      choosing: { env: {}, platform: 'darwin', download: downloads },
      expected: { kind: 'desktop', executable: '/cache/code' },
    },
    {
      says: 'the one from npm with one line, where a download fails',
      choosing: { env: { DISPLAY: ':0' }, platform: 'linux', download: refuses },
      expected: {
        kind: 'served',
        why: 'a desktop VS Code cannot be downloaded (getaddrinfo ENOTFOUND update.example)',
      },
    },
    {
      says: 'the one from npm without a download, where there is no screen',
      choosing: { env: {}, platform: 'linux', download: downloads },
      expected: { kind: 'served', why: 'there is no screen for a desktop VS Code' },
    },
    {
      says: 'the one from npm, where it is asked for',
      choosing: {
        env: { SWITCHBOARD_EDITOR: 'served', VSCODE_PATH: '/opt/code' },
        platform: 'linux',
        download: downloads,
      },
      expected: { kind: 'served', why: 'SWITCHBOARD_EDITOR is "served"' },
    },
  ];
  for (const { says, choosing, expected } of cases) {
    it(`is ${says}`, async () => assert.deepEqual(await chooseEditor(choosing), expected));
  }
});

describe('the editor that npm start opens', () => {
  const env = { DISPLAY: ':0' };
  it('is the desktop one of 1.125 or later', () => {
    assert.deepEqual(
      desktopCommand(env, () => '1.125.0'),
      { command: 'code' },
    );
    assert.deepEqual(
      desktopCommand(env, () => '2.0.1'),
      { command: 'code' },
    );
  });
  it('is the served one where the desktop one is older or missing, and says so', () => {
    assert.equal(desktopCommand(env, () => '1.124.9').why, 'the desktop VS Code is 1.124.9, and 1.125 is needed');
    assert.equal(desktopCommand(env, () => undefined).why, 'no desktop VS Code (code) on PATH');
  });
});
