import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Access, type Levels } from '../../../../../sidecar/gateway/access/access.ts';
import { Catalogue } from '../../../../../sidecar/gateway/access/catalogue.ts';

/** Those of 70 servers, which are more than two numbers have bits for. */
describe('the servers that a caller of many may use', () => {
  const all = Array.from({ length: 70 }, (_, at) => `s${at}`);
  const [edges, public_] = [['s0', 's31', 's32', 's63', 's64', 's69'], 's65'];
  const catalogue = new Catalogue(all.map((it) => ({ server_id: it, allow_all_keys: it === public_ })));
  const found = (levels: Levels) => {
    const access = new Access(levels, catalogue, { defaultAccess: 'none', emptyListInherits: false });
    const callable = all.filter((it) => access.allowsTool(it, 'any'));
    assert.deepEqual([...access.servers], callable, 'what is listed is what may be called');
    return callable;
  };
  const only = (...names: readonly string[]) => ({ mcp_servers: names });

  const cases: readonly [says: string, levels: Levels, expected: readonly string[]][] = [
    ['none but the public one without any permission', {}, [public_]],
    ['those that a key names', { key: only(...edges) }, edges.toSpliced(5, 0, public_)],
    ['what key and team both name', { key: only(...edges), team: only('s31', 's32', 's5') }, ['s31', 's32', public_]],
    ['no more than a ceiling lets', { key: only(...all), organization: only('s31', 's64') }, ['s31', 's64']],
    ['all where each level names all', { key: only(...all), team: only(...all), agent: only(...all) }, all],
    [
      'all but the public one where a ceiling leaves it out',
      { key: only(...all), endUser: only(...all.filter((it) => it !== public_)) },
      all.filter((it) => it !== public_),
    ],
    ['none where the key shuts all of them out', { key: only('no-mcp-servers') }, []],
  ];
  for (const [says, levels, expected] of cases) it(`are ${says}`, () => assert.deepEqual(found(levels), expected));
});
