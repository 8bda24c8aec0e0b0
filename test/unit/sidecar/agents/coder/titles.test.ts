import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { coderProvider } from '../../../../../sidecar/agents/coder/provider.ts';
import type { TurnEvent } from '../../../../../sidecar/agents/provider.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { hostWordsOf } from '../../../../../sidecar/protocol/words/hostWords.ts';
import { projectRoot } from '../../../../support/cache.ts';
import { type ModelServer, startModel } from '../../../../support/model/server.ts';
import { contextIn, noChildren, playTurn } from '../../../../support/playTurn.ts';

const file = join(projectRoot, 'media/l10n/bundle.l10n.de.json');
const inGerman = hostWordsOf(JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>);

describe('the titles of the tool calls of the built-in agent', () => {
  let folder: string;
  let model: ModelServer;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-titles-')));
  });
  afterEach(async () => {
    await model.close();
    rmSync(folder, { recursive: true });
  });

  async function play(name: string, input: Readonly<Record<string, unknown>>, isAllowed: boolean) {
    model = await startModel({ it: [{ calls: [{ name, input }] }, { text: 'Done.' }] });
    const models = [{ name: 'fake', dialects: ['messages' as const] }];
    const offered = async () => ({ url: model.url, key: 'key', models });
    const context = contextIn(folder, { models: { choice: 'auto', offered } });
    const provider = coderProvider({ children: noChildren, timers: systemTimers, newId: () => 'conversation' }, []);
    const session = await provider.open(context, new AbortController().signal);
    const decide = () => (isAllowed ? { allow: true as const } : { allow: false as const });
    const { asked, events } = await playTurn(session, { text: 'Go. replay it', decide });
    const isEnd = (it: TurnEvent) => it.kind === 'toolEnded';
    return [asked[0]?.invocationMessage, events.find(isEnd)?.pastTenseMessage].map((it) => it && inGerman(it));
  }

  for (const [name, input, asked, ended] of [
    ['write', { path: 'a.txt', content: 'a' }, 'a.txt erstellen', 'a.txt erstellt'],
    ['list', { path: '.' }, 'Auflisten: .', 'Aufgelistet: .'],
    ['search', { pattern: 'x', path: '.' }, '. nach x durchsuchen', '. nach x durchsucht'],
    ['read', { path: 'missing.txt' }, 'Lesen: missing.txt', 'Fehlgeschlagen'],
  ] as const)
    it(`are translated, before and after ${name}`, async () => {
      assert.deepEqual(await play(name, input, true), [asked, ended]);
    });

  it('are translated for a call that was denied', async () => {
    assert.deepEqual(await play('list', { path: '.' }, false), ['Auflisten: .', 'Abgelehnt']);
  });
});
