import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ChangesetState } from '../../sidecar/protocol/channels/changeset/schema.ts';
import { sessionChangesetUri } from '../../sidecar/protocol/uris.ts';
import type { PermissionRule } from '../../sidecar/protocol/window.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';

const runbook = `# Twice

\`\`\`write notes.md
one
two
three
four
five
six
seven
\`\`\`

\`\`\`diff
--- a/notes.md
+++ b/notes.md
@@ -2,3 +2,3 @@
 two
-three
+drei
 four
\`\`\`
`;

describe('a file that is edited twice in a turn', () => {
  let place: SidecarPlace;
  let folder: string;
  beforeEach(() => {
    place = openSidecarPlace();
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-ws-')));
    mkdirSync(join(folder, '.switchboard/runbooks'), { recursive: true });
    writeFileSync(join(folder, '.switchboard/runbooks/twice.md'), runbook);
  });
  afterEach(async () => {
    await place.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has the counts of each edit on its card, and those of the turn in the changeset', async () => {
    const peer = new HostPeer(place.start().peer);
    const folders = [pathToFileURL(folder).href];
    const rule: PermissionRule = { id: 'r', effect: 'allow', target: 'edit', pattern: '**', source: 'user' };
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    await peer.initialize('c1', { ...testWindow, folders, env, rules: [rule] });
    const { session, chat } = await peer.newSession({ provider: 'runbook', workingDirectories: folders });
    const turn = await peer.ended(chat, await peer.prompt(chat, '/twice'));
    assert.equal(turn.state, 'complete', JSON.stringify(turn.error));
    const cards = turn.responseParts.flatMap((it) =>
      it.kind === 'toolCall' && it.toolCall.status === 'completed'
        ? [it.toolCall.content?.flatMap((part) => (part.type === 'fileEdit' ? [part.diff] : []))]
        : [],
    );
    assert.deepEqual(cards, [[{ added: 7, removed: 0 }], [{ added: 1, removed: 1 }]]);
    const { files } = await peer.subscribe<ChangesetState>(sessionChangesetUri(session.slice('host-session:/'.length)));
    assert.deepEqual(
      files.map((it) => it.edit.diff),
      [{ added: 7, removed: 0 }],
    );
  });
});
