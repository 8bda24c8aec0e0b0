import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChangesetState } from '../../../../sidecar/protocol/channels/changeset/schema.ts';
import { Changesets } from '../../../../src/client/changesets.ts';
import { Listeners } from '../../../../src/client/listeners.ts';
import type { ChannelView } from '../../../../src/client/port.ts';

/** A host with one changeset, which says when it is done. */
class Place {
  readonly #changed = new Listeners<void>();
  #shown: ChangesetState | undefined;
  holders = 0;
  readonly changesets = new Changesets({ open: <S>() => this.#view() as unknown as ChannelView<S> }, () => true);

  says(status: ChangesetState['status']): void {
    this.#shown = { status, files: [] };
    this.#changed.fire();
  }

  #view(): ChannelView<ChangesetState> {
    this.holders += 1;
    const shown = () => this.#shown;
    return {
      get shown() {
        return shown();
      },
      onDidChange: (listener) => this.#changed.add(listener),
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
    place.says('ready');
    assert.equal((await computed).status, 'ready');
    assert.equal(place.holders, 0);
    assert.deepEqual(heard, []);
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
