import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { channels } from '../../sidecar/protocol/channels/index.ts';
import { open } from '../requirements/host/open.ts';
import { gatewayRequirements, hostRequirements, securityRows } from '../requirements.ts';
import { citations, fixtureCitations } from '../support/citations.ts';

const idsOf = (groups: readonly object[]) => groups.flatMap((it) => Object.keys(it));
const ofGateway = idsOf(gatewayRequirements);
const ofHost = idsOf(hostRequirements);
const security = Object.entries(Object.assign({}, ...securityRows) as Readonly<Record<string, { name: string }>>);
const ofSecurity = security.map(([id]) => id);
const promises = [...ofGateway, ...ofSecurity, ...ofHost];

const all = [...citations(), ...fixtureCitations(channels.map((it) => it.kind))];
const cited = new Set(all.flatMap((it) => it.ids));
const uncited = (ids: readonly string[]) => ids.filter((it) => !cited.has(it));
const counted = (ids: readonly string[]) => `${ids.length - uncited(ids).length} of ${ids.length} cited`;

describe('what is promised', () => {
  it(`gateway requirements: ${counted(ofGateway)}`, () => assert.deepEqual(uncited(ofGateway), []));

  it(`security rows: ${counted(ofSecurity)}`, () => assert.deepEqual(uncited(ofSecurity), []));

  it(`host requirements: ${counted(ofHost)}`, () => assert.deepEqual(uncited(ofHost), open));

  it('is named in the titles of its tests, where it is a known vulnerability or attack', () => {
    const unnamed = all.flatMap(({ place, titles, ids }) => {
      const said = titles.join(' ').toLowerCase();
      const wrong = security.filter(([id, { name }]) => ids.includes(id) && !said.includes(name.toLowerCase()));
      return wrong.map(([id]) => `${place} ${id}`);
    });
    assert.deepEqual(unnamed, []);
  });

  it('has no id twice', () => assert.equal(new Set(promises).size, promises.length));

  it('is all that tests cite, each where a test runs', () => {
    const unknown = all.flatMap(({ place, ids }) =>
      ids.filter((it) => !promises.includes(it)).map((it) => `${place} ${it}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('has an id for every action type of the protocol', () => {
    const types = channels.flatMap((it) => Object.keys(it.actions).map((type) => `host.action.${type}`));
    assert.deepEqual(ofHost.filter((it) => it.startsWith('host.action.')).toSorted(), types.toSorted());
  });
});
