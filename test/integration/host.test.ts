import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, it } from 'mocha';
import type { ChangesetState } from '../../sidecar/protocol/channels/changeset/schema.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { sessionChangesetUri } from '../../sidecar/protocol/uris.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const RUNBOOK = `# Greet

Hello from the runbook.

\`\`\`sh
echo made > made.txt
\`\`\`

Bye.
`;

describe('the built host with the runbook agent', () => {
  let place: SidecarPlace | undefined;
  let folder = '';
  afterEach(async () => {
    await place?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function connect(clientId: string): Promise<HostPeer> {
    place ??= openSidecarPlace();
    const peer = new HostPeer(place.start().peer);
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    await peer.initialize(clientId, { ...testWindow, folders: [pathToFileURL(folder).href], env });
    return peer;
  }

  it('holds a window to limits of its own, and no other; limits that mean nothing are told', async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-ws-')));
    place = openSidecarPlace();
    const connectWith = async (clientId: string, args: readonly string[]) => {
      const peer = new HostPeer(place!.start({ args }).peer);
      await peer.initialize(clientId, testWindow);
      return peer;
    };
    const held = await connectWith('held', ['--limits', JSON.stringify({ subscriptions: 3, attachments: 0 })]);
    const free = await connectWith('free', []);
    const { chat } = await held.newSession(); // with the root it has three
    await assert.rejects(held.newSession(), { code: -32602, message: 'channel: too many subscriptions (limit: 3)' });
    const message = { text: 'x', origin: { kind: 'user' }, attachments: [{ type: 'simple', label: 'a' }] };
    const start = { type: 'chat/turnStarted', turnId: 't', startedAt: new Date().toISOString(), message } as AnyAction;
    assert.equal((await held.act(chat, start)).rejectionReason, 'message.attachments: must have at most 0 entries');
    await free.newSession();
    await free.newSession();
    const { code, stderr } = await place.run(['--stdio', '--limits', '{"jsonDepth":2}']);
    assert.equal(code, 2);
    assert.match(stderr, /^The limits cannot be used: jsonDepth/);
  });

  it('keeps what was compiled for the next start while it runs, so that a killed host leaves it too', async () => {
    place = openSidecarPlace();
    const cache = join(place.dataDir, 'compile-cache');
    // The largest piece of code is the host's own, and no other role reads it. Node writes each under another name first.
    const largest = () =>
      Math.max(
        ...readdirSync(cache, { recursive: true, encoding: 'utf8' }).map(
          (it) => statSync(join(cache, it), { throwIfNoEntry: false })?.size ?? 0,
        ),
      );
    await place.run(['status']);
    const ofOthers = largest();
    await connect('c1');
    await until('what the host compiled is kept', () => largest() > 1.5 * ofOthers);
  });

  it('plays a runbook: prose, a shell step that is asked for, what it changed; and undoes it', async () => {
    verifies('host.command.invokeChangesetOperation');
    place = undefined;
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-ws-')));
    mkdirSync(join(folder, '.switchboard/runbooks'), { recursive: true });
    writeFileSync(join(folder, '.switchboard/runbooks/greet.md'), RUNBOOK);
    const peer = await connect('c1');
    const { session, chat } = await peer.newSession({
      provider: 'runbook',
      workingDirectories: [pathToFileURL(folder).href],
    });
    const turnId = await peer.prompt(chat, '/greet');
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1);
    const [request] = peer.session(session).inputNeeded!;
    assert.equal(request?.kind, 'toolConfirmation');
    const { toolCallId, options } = (request as { toolCall: { toolCallId: string; options: { id: string }[] } })
      .toolCall;
    assert.equal(options[0]?.id, 'allow-once');
    await peer.act(chat, {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId,
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: 'allow-once',
    } as never);
    const turn = await peer.ended(chat, turnId);
    assert.equal(turn.state, 'complete', JSON.stringify(turn.error));
    assert.equal(readFileSync(join(folder, 'made.txt'), 'utf8'), 'made\n');
    const changeset = sessionChangesetUri(session.slice('host-session:/'.length));
    const { files } = await peer.subscribe<ChangesetState>(changeset);
    assert.deepEqual(
      files.map((it) => it.edit.diff),
      [{ added: 1, removed: 0 }],
    );
    await peer.request('invokeChangesetOperation', { channel: changeset, operationId: 'undo' });
    assert.throws(() => readFileSync(join(folder, 'made.txt')));

    await place!.killHost();
    const later = await connect('c2');
    assert.deepEqual(await later.subscribe(chat), peer.chat(chat));
  });
});
