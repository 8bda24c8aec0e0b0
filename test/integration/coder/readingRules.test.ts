import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'mocha';
import type { PermissionRule } from '../../../sidecar/protocol/window.ts';
import { type CoderPlace, callsOf, openCoderPlace, type Person, playAsPerson } from '../../support/coder/place.ts';
import type { HostPeer } from '../../support/host/hostPeer.ts';
import { verifies } from '../../support/verifies.ts';

const call = (name: string, input: Readonly<Record<string, unknown>>) => ({ name, input });
const files = {
  '.env': 'TOKEN=planted-secret\n',
  'app/.env': 'TOKEN=planted-too\n',
  'app/main.js': 'export const TOKEN = process.env.TOKEN;\n',
};
const plans = {
  search: [call('search', { pattern: 'TOKEN' })],
  guess: [call('search', { pattern: 'planted' })],
  wrong: [call('search', { pattern: 'guessed' })],
  files: [call('search', { glob: '**' }), call('list', {})],
  folder: [call('search', { pattern: 'main', path: 'app' })],
};

describe('a search of the built-in agent where rules are about single files', () => {
  let place: CoderPlace;
  let peer: HostPeer;
  let count = 0;
  before(async () => {
    // Each recording is played once.
    const played = [...Array(10).keys()].flatMap((at) =>
      Object.entries(plans).map(([name, calls]) => [`${name}${at}`, [{ calls }, { text: 'Found.' }]] as const),
    );
    place = await openCoderPlace('messages', Object.fromEntries(played));
  });
  afterEach(() => peer.close());
  after(() => place.close());

  const rule = (effect: 'ask' | 'deny', pattern: string): PermissionRule => ({
    id: 'env',
    effect,
    target: 'read',
    pattern,
    source: 'user',
  });
  /** @returns what the model got from the calls, and the files of each question */
  async function play(rules: readonly PermissionRule[], plan: keyof typeof plans, answer: true | string = true) {
    const workspace = place.workspace(files);
    peer = await place.connect(workspace, { rules: [...rules] });
    const { chat } = await peer.newSession({ provider: 'coder', workingDirectories: [workspace.uri] });
    const asked: string[] = [];
    const decide: Person['decide'] = ({ invocationMessage: it }) => {
      asked.push((typeof it === 'string' ? it : it.markdown).replaceAll(workspace.path, ''));
      return answer;
    };
    count += 1;
    const turn = await playAsPerson(peer, chat, { text: `Look. replay ${plan}${count}`, model: 'fake' }, { decide });
    const results = place.model.heard.at(-1)?.flatMap((it) => it.results) ?? [];
    const ends = callsOf(turn).map((it) => it.status === 'completed' && it.success);
    return { results, asked, ends };
  }

  it('shows no line and no name of a file that a rule denies reading, and says how many there are', async () => {
    verifies('host.coder.reads-by-rules');
    const found = await play([rule('deny', '**/.env')], 'search');
    assert.deepEqual(found.results, [
      'app/main.js:1: export const TOKEN = process.env.TOKEN;\n(Left out, because a rule denies reading: 2 paths)',
    ]);
    assert.deepEqual(found.asked, []);
  });

  it('answers a right and a wrong guess about a denied file in the same words', async () => {
    const [right] = (await play([rule('deny', '**/.env')], 'guess')).results;
    peer.close();
    const [wrong] = (await play([rule('deny', '**/.env')], 'wrong')).results;
    assert.match(right ?? '', /^No matches\./);
    assert.equal(right, wrong);
  });

  it('lists no name that a rule denies reading', async () => {
    const { results } = await play([rule('deny', '**/.env')], 'files');
    assert.match(results[0] ?? '', /^app\/main\.js\n\(Left out, because a rule denies reading: 2 paths\)$/);
    assert.match(results[1] ?? '', /^app\/\napp\/main\.js\n\(Left out, because a rule denies reading: 2 paths\)$/);
  });

  it('is denied in a folder that a rule denies reading', async () => {
    const { results, ends } = await play([rule('deny', 'app')], 'folder');
    assert.deepEqual(ends, [false]);
    assert.match(results[0] ?? '', /A rule denies this/);
  });

  it('asks about the files with matches that a rule asks about, and shows nothing if the user denies', async () => {
    verifies('host.coder.reads-by-rules');
    const allowed = await play([rule('ask', '**/.env')], 'search');
    assert.equal(allowed.asked.length, 1);
    for (const it of ['`/.env`', '`/app/.env`']) assert.ok(allowed.asked[0]?.includes(it), allowed.asked[0]);
    assert.doesNotMatch(allowed.asked[0] ?? '', /main\.js/);
    assert.match(allowed.results[0] ?? '', /^\.env:1: TOKEN=planted-secret$/m);
    peer.close();
    const denied = await play([rule('ask', '**/.env')], 'search', 'Not these.');
    assert.match(denied.results[0] ?? '', /Not these\./);
    assert.doesNotMatch(denied.results.join(''), /planted/);
  });

  it('asks nothing if nothing was found in such a file', async () => {
    const { asked, results } = await play([rule('ask', '**/.env')], 'wrong');
    assert.deepEqual([asked, results], [[], ['No matches.']]);
  });
});
