import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Listeners } from '../../../../src/client/listeners.ts';
import type { HostPort } from '../../../../src/client/port.ts';
import { whenShown } from '../../../../src/client/whenShown.ts';

describe('the state of a channel that nobody holds', () => {
  let opened: string[];
  let shown: string | undefined;
  let disposals: number;
  const changed = new Listeners<void>();
  const port = {
    open(uri: string, { turns }: { turns: number }) {
      opened.push(`${uri} ${turns}`);
      return {
        get shown() {
          return shown;
        },
        onDidChange: (listener: () => void) => changed.add(listener),
        dispose: () => void (disposals += 1),
      };
    },
  } as unknown as HostPort;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    [opened, shown, disposals] = [[], undefined, 0];
  });
  afterEach(() => mock.timers.reset());
  const soon = () => new Promise((resolve) => void setImmediate(resolve));

  it('is there at once where somebody holds it after all, of one turn or of as many as are asked for', async () => {
    shown = 'known';
    assert.equal(await whenShown<string>(port, 'host-chat:/a'), 'known');
    await whenShown(port, 'host-chat:/b', { turns: 7 });
    assert.deepEqual([opened, disposals], [['host-chat:/a 1', 'host-chat:/b 7'], 2]);
  });

  it('is waited for through changes that do not show it, and let go of then', async () => {
    const found = whenShown<string>(port, 'host-chat:/a');
    mock.timers.tick(9_999);
    changed.fire();
    await soon();
    assert.equal(disposals, 0);
    shown = 'late';
    changed.fire();
    assert.equal(await found, 'late');
    assert.equal(disposals, 1);
  });

  it('is given up after ten seconds, and let go of then too', async () => {
    const found = assert.rejects(whenShown(port, 'host-chat:/a'), {
      message: 'The host did not answer for host-chat:/a.',
    });
    mock.timers.tick(10_000);
    await found;
    assert.equal(disposals, 1);
  });
});
