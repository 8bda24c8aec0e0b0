import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type {
  Annotation,
  AnnotationsAction,
  AnnotationsState,
} from '../../../../../sidecar/protocol/channels/annotations/schema.ts';
import { annotationsUri } from '../../../../../sidecar/protocol/uris.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`);

describe('comments on lines of a file', () => {
  let place: HostPlace;
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-comments-')));
    writeFileSync(join(folder, 'a.txt'), lines(20).join(''));
  });
  afterEach(async () => {
    await place.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Comments are made after a first turn; in the second, the agent edits as `edit` says. */
  async function follow(edit: (text: string[]) => string[], comments: readonly Partial<Annotation>[]) {
    const path = join(folder, 'a.txt');
    const agent = scriptedProvider(async function* ({ text }) {
      if (text === 'edit') writeFileSync(path, edit(readFileSync(path, 'utf8').match(/.*\n/g) ?? []).join(''));
      yield { kind: 'text', partId: 'a', text: 'done' };
    });
    place = await openHostPlace([agent]);
    const peer = await place.connect();
    const { session, chat } = await peer.newSession({ workingDirectories: [`file://${folder}`] });
    const turnId = await peer.prompt(chat, 'hello');
    await peer.ended(chat, turnId);
    const channel = annotationsUri(session);
    await peer.subscribe(channel);
    for (const [at, more] of comments.entries()) {
      const entries = [{ id: 'e', text: 'change this' }];
      const base = { id: `a${at}`, turnId, resource: `file://${path}`, resolved: false, entries };
      const annotation: Annotation = { ...base, _meta: { sentEntries: 1 }, ...more };
      const set: AnnotationsAction = { type: 'annotations/set', annotation };
      const { rejectionReason } = await peer.act(channel, set);
      assert.equal(rejectionReason, undefined);
    }
    const second = await peer.prompt(chat, 'edit');
    await peer.ended(chat, second);
    const { annotations } = await peer.subscribe<AnnotationsState>(channel);
    return annotations.map(({ resolved, range, _meta }) => ({
      resolved,
      line: range?.start.line,
      by: _meta?.['resolvedByTurn'] === second,
    }));
  }
  const at = (line: number) => ({ range: { start: { line, character: 0 }, end: { line, character: 0 } } });

  it('1c-6 are resolved when the agent changed or removed their line, and move along with it otherwise', async () => {
    const found = await follow(
      (text) => ['new\n', ...text.slice(0, 4), 'changed\n', ...text.slice(5, 10), ...text.slice(11)],
      [at(2), at(4), at(10), at(15)],
    );
    assert.deepEqual(found, [
      { resolved: false, line: 3, by: false },
      { resolved: true, line: 4, by: true },
      { resolved: true, line: 10, by: true },
      { resolved: false, line: 15, by: false },
    ]);
  });

  it('1c-6 stay open where they were never sent, though the agent changed their line', async () => {
    const found = await follow((text) => ['other\n', ...text.slice(1)], [{ ...at(0), _meta: {} }, at(0)]);
    assert.deepEqual(found, [
      { resolved: false, line: 0, by: false },
      { resolved: true, line: 0, by: true },
    ]);
  });
});
