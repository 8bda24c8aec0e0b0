import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { requestNodes } from '../../../../../src/views/inbox/nodes.ts';
import { changedSessions, groupBySession } from '../../../../../src/views/sessions/requestGroups.ts';
import { english, shellRequest, summary } from '../../../../support/extensionStates.ts';

const of = (resource: string, command: string) => ({ ...shellRequest(command), session: summary({ resource }) });

describe('requests in the Sessions view', () => {
  it('1a-3 stand below their session, without its title, and answer with the one-time id of their row', () => {
    const [row] = requestNodes(english, [shellRequest('npm test')], (key) => `once for ${key}`);
    assert.deepEqual(
      [row?.label, row?.description, row?.key, row?.id],
      ['npm test', '', 'host-session:/s1#r1', 'once for host-session:/s1#r1'],
    );
    assert.equal(row?.contextValue, 'request confirm oneClick session');
  });

  it('1a-3 do not offer to allow what is dangerous, and say that it needs a review', () => {
    const [row] = requestNodes(english, [shellRequest('rm -rf /', { oneClick: false })], () => 'once');
    assert.equal(row?.contextValue, 'request confirm session');
    assert.equal(row?.description, 'needs review');
  });

  it('1a-3 redraw only the sessions that wait for something else than before', () => {
    const [a, b] = [of('host-session:/a', 'one'), of('host-session:/b', 'two')];
    const before = groupBySession([a, b]);
    assert.deepEqual(changedSessions(before, groupBySession([a, b])), []);
    assert.deepEqual(changedSessions(before, groupBySession([a])), ['host-session:/b']);
    assert.deepEqual(changedSessions(before, groupBySession([a, b, of('host-session:/a', 'three')])), [
      'host-session:/a',
    ]);
    assert.deepEqual(changedSessions(before, groupBySession([of('host-session:/a', 'other'), b])), ['host-session:/a']);
  });
});
