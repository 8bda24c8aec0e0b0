import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { type AddressAnswer, askEverybody, openAskers, writtenCalls } from '../../support/gateway/addressAnswers.ts';
import { StandingClock } from '../../support/gateway/clock.ts';
import { openStand, type Stand } from '../../support/gateway/stand.ts';
import { verifies } from '../../support/verifies.ts';

const table = JSON.parse(readFileSync(new URL('../../fixtures/gateway/addresses.json', import.meta.url), 'utf8')) as {
  readonly answers: Readonly<Record<string, AddressAnswer>>;
  readonly counted: Readonly<Record<string, number>>;
};

/** Every address, the odd ones too, as everybody who may ask for it: what is decided about a request before it is served. */
describe('each address of the gateway', () => {
  let folder: string;
  let whole: Stand;
  const seen = new Map<string, AddressAnswer>();
  let counted: Readonly<Record<string, number>>;

  before(async function start() {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-pages-'));
    writeFileSync(join(folder, 'admin.js'), '// The pages');
    whole = await openStand({
      clock: new StandingClock('2026-03-04T10:00:15.000Z'),
      pagesFolder: folder,
      cloudAgents: { upstreamUrl: 'http://127.0.0.1:1', prefix: 'cloud', credential: 'of the service' },
    });
    await whole.addServer({ alias: 'echo', url: 'http://127.0.0.1:1/mcp' });
    const askers = await openAskers(whole);
    const asked = new Map<string, Awaited<ReturnType<typeof askEverybody>>>();
    for (const address of Object.keys(table.answers)) asked.set(address, await askEverybody(whole, askers, address));
    const written = await writtenCalls(whole, '2026-03-04');
    counted = written.counted;
    for (const [address, answer] of asked)
      seen.set(
        address,
        answer((id) => written.endpoints.get(id)),
      );
  });
  after(async () => {
    await whole.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [address, answer] of Object.entries(table.answers))
    it(`${address} is answered as the table says`, () => {
      verifies('gateway.address.judged');
      assert.deepEqual(seen.get(address), answer);
    });

  it('is counted as often, and under the same route, as the table says: never under what a caller wrote', () => {
    verifies('gateway.address.counted');
    assert.deepEqual(counted, table.counted);
  });
});
