import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { openProcessStand } from '../../support/gateway/processStand.ts';
import { postgresDatabase } from '../../support/network/postgres.ts';
import { until } from '../../support/until.ts';

/** Nobody gave these an administrator's key. */
describe('replicas that start together on an empty database', () => {
  it('make one administrator’s key between them, which opens all of them, and none at the next start', async function start() {
    const stand = openProcessStand({ database: await postgresDatabase(), adminKey: 'none' });
    const keysOf = (text: string) => [...text.matchAll(/^Administrator's key, shown only once: (sk-\S+)$/gm)];
    const open = async (names: readonly string[]) => {
      const started = names.map((name) => stand.start(name));
      const bases = await Promise.all(started.map((it) => it.baseUrl));
      return {
        bases,
        async leave() {
          for (const it of started) it.signal('SIGINT');
          await Promise.all(started.map((it) => it.exited));
          return started.flatMap((it) => keysOf(it.printed()));
        },
        kill() {
          for (const it of started) it.signal('SIGKILL');
        },
        printed: () => started.flatMap((it) => keysOf(it.printed())),
      };
    };
    const first = await open(['one', 'two', 'three']);
    try {
      await until('one of them tells its key', () => first.printed().length > 0);
      const made = first.printed();
      const key = made[0]?.[1];
      assert.ok(key);
      for (const base of first.bases) {
        const answer: Response = await fetch(`${base}/key/list`, { headers: { authorization: `Bearer ${key}` } });
        assert.equal(answer.status, 200, await answer.text());
      }
      assert.equal((await first.leave()).length, 1);
    } finally {
      first.kill();
    }
    const again = await open(['four']);
    try {
      assert.deepEqual(await again.leave(), []);
    } finally {
      again.kill();
      await stand.close();
    }
  });
});
