import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { after, before, describe, it } from 'mocha';
import type { ChangesetState } from '../../sidecar/protocol/channels/changeset/schema.ts';
import type { FileEdit } from '../../sidecar/protocol/shared.ts';
import { turnChangesetUri } from '../../sidecar/protocol/uris.ts';
import { promptAllowing } from '../support/agents/allowAll.ts';
import { installAgents, realAgents } from '../support/agents/realAgents.ts';
import { makeWorkFolder, shaOf, type WorkFolder } from '../support/agents/workFolder.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { type ModelServer, startModel } from '../support/model/server.ts';
import { say } from '../support/say.ts';
import { openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';

const json = JSON.stringify;
/** What is asked of the agent, and the file it is about, before and after. */
const cells: readonly {
  says: string;
  prompt: (folder: string) => string;
  before?: string;
  after?: string;
  changed: RegExp;
}[] = [
  {
    says: 'create',
    prompt: (f) => `write ${f}/new.txt ${json('one\ntwo\n')}`,
    after: 'new.txt',
    changed: /^one\ntwo\n?$/,
  },
  {
    says: 'edit line 150 of 300',
    prompt: (f) => `read ${f}/long.txt\nedit ${f}/long.txt "line 150\\n", "LINE 150\\nand one more\\n"`,
    before: 'long.txt',
    after: 'long.txt',
    changed: /line 149\nLINE 150\nand one more\nline 151\n/,
  },
  {
    says: 'CRLF file',
    prompt: (f) => `read ${f}/crlf.txt\nedit ${f}/crlf.txt "line 7", "LINE 7"`,
    before: 'crlf.txt',
    after: 'crlf.txt',
    changed: /line 6\r\nLINE 7\r\nline 8\r\n/,
  },
  {
    says: 'binary',
    prompt: () => String.raw`shell printf '\000\377\376x' > picture.bin`,
    before: 'picture.bin',
    after: 'picture.bin',
    changed: /x$/,
  },
  {
    says: 'shell sed -i',
    prompt: () => "shell sed -i 's/^line 3$/line three/' sed.txt",
    before: 'sed.txt',
    after: 'sed.txt',
    changed: /line three/,
  },
  { says: 'delete', prompt: () => 'shell rm gone.txt', before: 'gone.txt', changed: /^$/ },
  {
    says: 'rename',
    prompt: () => 'shell mv old-name.txt new-name.txt',
    before: 'old-name.txt',
    after: 'new-name.txt',
    changed: /line 40/,
  },
];

const bin = await installAgents();
const scores: string[] = [];

describe('edits', () => {
  after(() => say(scores.join(', ')));
  for (const agent of realAgents(bin)) {
    const { id } = agent.setting;
    describe(id, () => {
      let root: string;
      let work: WorkFolder;
      let model: ModelServer;
      let place: SidecarPlace;
      let peer: HostPeer;
      let chat: string;
      let session: string;
      let passed = 0;
      before(async () => {
        root = realpathSync(mkdtempSync(join(tmpdir(), `switchboard-edits-${id}-`)));
        work = makeWorkFolder(join(root, 'work'));
        model = await startModel();
        place = openSidecarPlace();
        peer = new HostPeer(place.start().peer);
        const folder = pathToFileURL(work.path).href;
        const env = agent.env(join(root, 'home'), model.url);
        const { protectedResources: _, ...setting } = agent.setting;
        await peer.initialize(randomUUID(), {
          ...testWindow,
          folders: [folder],
          env,
          agents: [{ ...setting, icon: 'hubot', args: [...agent.setting.args], env: [...agent.setting.env] }],
        });
        ({ session, chat } = await peer.newSession({ provider: id, workingDirectories: [folder] }));
        assert.equal(peer.session(session).lifecycle, 'ready', json(peer.session(session)));
      });
      after(async () => {
        peer?.close();
        await place?.close();
        await model?.close();
        rmSync(root, { recursive: true, force: true, maxRetries: 5 });
        scores.push(`${id} edits ${passed}/${cells.length}`);
      });

      for (const cell of cells) {
        it(`${cell.says}: before=sha ok, after=disk ok, counts = numstat`, async () => {
          const shaBefore = cell.before && work.sha(cell.before);
          const turn = await promptAllowing(peer, chat, cell.prompt(work.path));
          assert.equal(turn.state, 'complete', json(turn));
          const uuid = session.slice('host-session:/'.length);
          const { files } = await peer.subscribe<ChangesetState>(turnChangesetUri(uuid, turn.id));
          assert.equal(files.length, 1, `${json(files)} ${json(turn.responseParts)}`);
          const { edit } = files[0]!;
          assert.deepEqual([nameOf(edit.before), nameOf(edit.after)], [cell.before, cell.after]);
          if (edit.before) assert.equal(await shaIn(edit.before), shaBefore, 'before');
          if (edit.after) assert.equal(await shaIn(edit.after), work.sha(nameOf(edit.after)!), 'after');
          if (cell.after) assert.match(readFileSync(join(work.path, cell.after), 'latin1'), cell.changed);
          else assert.equal(work.sha(cell.before!), undefined);
          const { added, removed } = edit.diff ?? {};
          // Git counts no lines of a binary file, and neither do we.
          assert.deepEqual([`${added ?? '-'} ${removed ?? '-'} ${cell.after ?? cell.before}`], work.numstat());
          work.commit();
          passed += 1;
        });
      }

      async function shaIn(side: NonNullable<FileEdit['before']>): Promise<string> {
        const { data, encoding } = await peer.request('resourceRead', { uri: side.content.uri, encoding: 'base64' });
        return shaOf(Buffer.from(data, encoding === 'base64' ? 'base64' : 'utf8'));
      }
    });
  }
});

function nameOf(side: FileEdit['before']): string | undefined {
  return side && basename(fileURLToPath(side.uri));
}
