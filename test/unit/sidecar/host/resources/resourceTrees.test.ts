import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ResourceChange } from '../../../../../sidecar/protocol/channels/resourceWatch/schema.ts';
import { errorCodes } from '../../../../../sidecar/protocol/errors.ts';
import type { AccessQuestion } from '../../../../../sidecar/protocol/resources.ts';
import { openResourcePlace, type ResourcePlace, uriOf } from '../../../../support/resources/resourcePlace.ts';
import { verifies } from '../../../../support/verifies.ts';

const { PermissionDenied } = errorCodes;

describe('folders that are copied, moved or removed whole', () => {
  let place: ResourcePlace;
  let base: string;
  let own: string;
  beforeEach(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-trees-')));
    own = join(base, 'holder', 'own');
    mkdirSync(own, { recursive: true });
    place = await openResourcePlace({ dataDir: own });
  });
  afterEach(async () => {
    await place.close();
    rmSync(base, { recursive: true, force: true });
  });
  const inside = (name: string) => join(place.inside, name);
  const put = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '{}');
  };
  /** The next question of a program for access is answered with yes. */
  async function grant(params: { uri: string; read?: boolean; write?: boolean }): Promise<void> {
    const asking = place.peer.request('resourceRequest', params);
    const open = () =>
      (place.peer.notified.findLast((it) => it.method === 'x-switchboard/accessQuestions')?.params['items'] ??
        []) as AccessQuestion[];
    await place.peer.until(() => open().length > 0);
    await place.peer.request('x-switchboard/accessAnswer', { id: open()[0]!.id, allow: true });
    await asking;
  }

  for (const method of ['resourceCopy', 'resourceMove'] as const) {
    for (const [below, name] of [
      ['settings.json', '.claude'],
      ['plugins/p/plugin.json', '.agents'],
      ['hooks/h.json', '.github'],
      ['anything', '.CLAUDE'],
    ] as const) {
      it(`${method} makes no ${name} of a folder of another name, since others run what is in it`, async () => {
        verifies('security.run-by-others');
        put(inside(`plain/${below}`));
        const before = place.look(place.inside);
        const params = { source: uriOf(inside('plain')), destination: uriOf(inside(name)) };
        await assert.rejects(place.peer.request(method, params), { code: PermissionDenied, data: {} });
        assert.deepEqual(place.look(place.inside), before);
      });
    }
    for (const below of ['.vscode/tasks.json', 'a/b/.mcp.json', 'x/.git/hooks/post-checkout', '.husky/y']) {
      it(`${method} brings no ${below} into a folder of a session`, async () => {
        verifies('security.run-by-others');
        const source = join(place.outside, 'tree');
        put(join(source, below));
        put(join(source, 'z.txt'));
        await grant({ uri: uriOf(source), read: true, write: true });
        const destination = uriOf(inside('tree'));
        await assert.rejects(place.peer.request(method, { source: uriOf(source), destination }), {
          code: PermissionDenied,
          data: {},
        });
        assert.ok(!existsSync(inside('tree')) && existsSync(join(source, below)));
        rmSync(join(source, below.split('/')[0]!), { recursive: true });
        await place.peer.request(method, { source: uriOf(source), destination });
        assert.ok(existsSync(inside('tree/z.txt')));
      });
    }
  }

  for (const [folder, below] of [
    ['.github', 'hooks/h.json'],
    ['.github/hooks', 'h.json'],
    ['.claude', 'settings.local.json'],
    ['.git/hooks', 'pre-commit'],
    ['.vscode', 'tasks.json'],
    ['.agents/plugins/p', 'deep/agents/a.md'],
  ] as const) {
    it(`of which ${folder} is that of a session get no ${below} without a grant, since others run it`, async () => {
      verifies('security.run-by-others');
      mkdirSync(inside(folder), { recursive: true });
      await place.peer.newSession({ workingDirectories: [uriOf(inside(folder))] });
      const uri = uriOf(inside(`${folder}/${below}`));
      mkdirSync(dirname(inside(`${folder}/${below}`)), { recursive: true });
      await assert.rejects(place.peer.request('resourceWrite', { uri, data: 'x', encoding: 'utf-8' }), {
        code: PermissionDenied,
      });
      assert.ok(!existsSync(inside(`${folder}/${below}`)));
    });
  }

  it("never take the host's own files along, whatever a client may reach around them", async () => {
    verifies('security.run-by-others');
    await place.peer.newSession({ workingDirectories: [uriOf(base)] });
    const source = uriOf(dirname(own));
    const destination = uriOf(join(base, 'there'));
    const refused = { code: PermissionDenied, data: {} };
    await assert.rejects(place.peer.request('resourceCopy', { source, destination }), refused);
    await assert.rejects(place.peer.request('resourceMove', { source, destination }), refused);
    await assert.rejects(place.peer.request('resourceDelete', { uri: source, recursive: true }), refused);
    assert.ok(existsSync(own) && !existsSync(join(base, 'there')));
  });

  it("are watched without the host's own files", async () => {
    await place.peer.newSession({ workingDirectories: [uriOf(base)] });
    const { channel } = await place.peer.request('createResourceWatch', { uri: uriOf(base), recursive: true });
    await place.peer.subscribe(channel);
    writeFileSync(join(own, 'secret-name'), 'x');
    writeFileSync(join(base, 'last'), 'x');
    const uris = () =>
      place.peer.envelopes
        .filter((it) => it.channel === channel)
        .flatMap((it) => (it.action as unknown as { changes: { items: ResourceChange[] } }).changes.items)
        .map((it) => it.uri);
    await place.peer.until(() => uris().includes(uriOf(join(base, 'last'))));
    writeFileSync(join(base, 'later'), 'x');
    await place.peer.until(() => uris().includes(uriOf(join(base, 'later'))));
    assert.ok(!uris().some((it) => it.startsWith(uriOf(own))), JSON.stringify(uris()));
  });

  it('are not those in which a session works, nor those above them', async () => {
    mkdirSync(join(base, 'above', 'work'), { recursive: true });
    await place.peer.newSession({ workingDirectories: [uriOf(base)] });
    await place.peer.newSession({ workingDirectories: [uriOf(join(base, 'above', 'work'))] });
    const source = uriOf(join(base, 'above'));
    for (const uri of [source, `${source}/work`]) {
      const refused = { code: PermissionDenied, data: {} };
      await assert.rejects(place.peer.request('resourceDelete', { uri, recursive: true }), refused);
      const destination = uriOf(join(base, 'moved'));
      await assert.rejects(place.peer.request('resourceMove', { source: uri, destination }), refused);
    }
    assert.ok(existsSync(join(base, 'above', 'work')));
  });
});
