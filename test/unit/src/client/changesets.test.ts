import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChangesetState } from '../../../../sidecar/protocol/channels/changeset/schema.ts';
import { Changesets } from '../../../../src/client/changesets.ts';
import { Listeners } from '../../../../src/client/listeners.ts';
import type { ChannelView } from '../../../../src/client/port.ts';
import { verifies } from '../../../support/verifies.ts';

/** A host with one changeset, which says when it is done. */
class Place {
  readonly #changed = new Listeners<void>();
  #shown: ChangesetState | undefined;
  holders = 0;
  listeners = 0;
  readonly changesets: Changesets;

  constructor(authority = '') {
    this.changesets = new Changesets({ open: <S>() => this.#view() as unknown as ChannelView<S> }, () => authority);
  }

  says(status: ChangesetState['status'], files: ChangesetState['files'] = []): void {
    this.#shown = { status, files };
    this.#changed.fire();
  }

  #view(): ChannelView<ChangesetState> {
    this.holders += 1;
    const shown = () => this.#shown;
    return {
      get shown() {
        return shown();
      },
      isRefused: false,
      onDidChange: (listener) => {
        const added = this.#changed.add(listener);
        this.listeners += 1;
        return {
          dispose: () => {
            this.listeners -= 1;
            added.dispose();
          },
        };
      },
      dispose: () => void (this.holders -= 1),
    };
  }
}

describe('the changesets of a window', () => {
  it('waits for what the host works on, and looks at it no longer than that', async () => {
    const place = new Place();
    const heard: string[] = [];
    place.changesets.onDidChange((it) => heard.push(it));
    const computed = place.changesets.computed('c');
    assert.equal(place.holders, 1);
    place.says('computing');
    place.says('recomputing');
    place.says('ready');
    assert.equal((await computed).status, 'ready');
    assert.equal(place.holders, 0);
    assert.deepEqual(heard, []);
  });

  it('waits for a state with a listener that goes with the wait', async () => {
    const place = new Place();
    place.changesets.look('c');
    const done = place.changesets.until('c', ({ status }) => status === 'ready');
    assert.equal(place.listeners, 2);
    place.says('ready');
    await done;
    assert.equal(place.listeners, 1);
  });

  it('knows which one holds a file of its own host, and takes no file of another for it', async () => {
    verifies('host.remote.comments');
    const place = new Place('far.test');
    place.changesets.look('c');
    const file = { uri: 'file:///w/a.txt', content: { uri: 'host-content:/x/a.txt' } };
    place.says('ready', [{ id: file.uri, edit: { before: file, after: file } }] as ChangesetState['files']);
    assert.equal(place.changesets.holding({ authority: 'far.test', uri: file.uri }), 'c');
    assert.equal(place.changesets.holding({ authority: '', uri: file.uri }), undefined);
    assert.equal(place.changesets.holding({ authority: 'other.test', uri: file.uri }), undefined);
  });

  it('goes on looking at what a row shows, until nobody wants it', async () => {
    const place = new Place();
    const heard: string[] = [];
    place.changesets.onDidChange((it) => heard.push(it));
    assert.equal(place.changesets.look('c'), undefined);
    place.says('ready');
    assert.equal((await place.changesets.read('c')).status, 'ready');
    assert.equal(place.holders, 1);
    assert.deepEqual(heard, ['c']);
    place.changesets.keepOnly(new Set());
    assert.equal(place.holders, 0);
  });
});
