import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { hostWordsOf } from '../../../../../sidecar/protocol/words/hostWords.ts';

const german = {
  Deny: 'Ablehnen (Fenster)',
  'Deny/host': 'Ablehnen',
  'Trust this folder to run agents./host': 'Vertrauen Sie diesem Ordner, um Agenten auszuführen.',
  'The disk is full./host': 'Der Datenträger ist voll.',
  '{0} needs you to sign in. {1}/host': 'Für {0} müssen Sie sich anmelden. {1}',
  'Sign in to {0}, and then try again./host': 'Melden Sie sich bei {0} an, und versuchen Sie es dann noch einmal.',
  '{0} folders in {1} could not be read./host': 'In {1} konnten {0} Ordner nicht gelesen werden.',
  'Use {0}/host': '{0} verwenden',
  'Use {0} (again)/host': '{0} noch einmal verwenden',
};
const cases: readonly (readonly [what: string, text: string, translated: string])[] = [
  ['a sentence', 'Trust this folder to run agents.', 'Vertrauen Sie diesem Ordner, um Agenten auszuführen.'],
  ['a word that the window has another translation of', 'Deny', 'Ablehnen'],
  [
    'values in the order of the translation',
    '3 folders in /a (b) could not be read.',
    'In /a (b) konnten 3 Ordner nicht gelesen werden.',
  ],
  [
    'a sentence of the host in a sentence of the host',
    'Claude needs you to sign in. Sign in to Claude, and then try again.',
    'Für Claude müssen Sie sich anmelden. Melden Sie sich bei Claude an, und versuchen Sie es dann noch einmal.',
  ],
  [
    'sentences in a row',
    'The disk is full. Trust this folder to run agents. Ok.',
    'Der Datenträger ist voll. Vertrauen Sie diesem Ordner, um Agenten auszuführen. Ok.',
  ],
  ['the text that says most by itself', 'Use make (again)', 'make noch einmal verwenden'],
  ['an agent’s own words', 'I think the disk is full.', 'I think the disk is full.'],
];

describe('hostWordsOf', () => {
  const translate = hostWordsOf(german);
  for (const [what, text, translated] of cases)
    it(`translates ${what}: "${text}"`, () => {
      assert.equal(translate(text), translated);
    });

  it('puts no space between two Chinese sentences', () => {
    const chinese = { 'The disk is full./host': '磁盘已满。', 'Restart the host./host': '请重启主机。' };
    assert.equal(hostWordsOf(chinese)('The disk is full. Restart the host.'), '磁盘已满。请重启主机。');
  });

  it('leaves everything as it is where the editor speaks English', () => {
    assert.equal(hostWordsOf(undefined)('Deny'), 'Deny');
  });
});
