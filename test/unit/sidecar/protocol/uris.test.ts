import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { channelOf } from '../../../../sidecar/protocol/channels/index.ts';
import * as uris from '../../../../sidecar/protocol/uris.ts';
import { verifies } from '../../../support/verifies.ts';

const uuid = 'b1d6f2c4-0000-4000-8000-000000000001';
const sha256 = 'ab'.repeat(32);
const anyText = fc.string({ unit: 'grapheme', minLength: 1 });

describe('URIs', () => {
  it('have the spelling of the specification', () => {
    verifies('host.service.uri-root', 'host.service.uri-session', 'host.service.uri-chat');
    assert.equal(uris.ROOT, 'host-root://');
    assert.equal(uris.sessionUri(uuid), `host-session:/${uuid}`);
    assert.equal(uris.chatUri(uuid), `host-chat:/${uuid}`);
    assert.equal(uris.sessionChangesetUri(uuid), `host-changeset:/${uuid}/session`);
    assert.equal(uris.contentUri(sha256, 'a b.ts'), `host-content:/${sha256}/a%20b.ts`);
  });

  it('are read back as they were made, for any turn id and file name', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        assert.deepEqual(uris.parseChangesetUri(uris.turnChangesetUri(uuid, text)), {
          sessionUuid: uuid,
          turnId: text,
        });
        assert.deepEqual(uris.parseContentUri(uris.contentUri(sha256, text)), { sha256, fileName: text });
        const template = uris.turnChangesetTemplate(uuid);
        assert.equal(uris.expandTemplate(template, { turnId: text }), uris.turnChangesetUri(uuid, text));
        const turns = { originalTurnId: text, modifiedTurnId: `${text}/` };
        const compare = uris.expandTemplate(uris.compareTurnsTemplate(uuid), turns) ?? '';
        const view = { sessionUuid: uuid, kind: 'compare', original: text, modified: `${text}/` };
        assert.deepEqual(uris.parseChangesView(compare), view);
        assert.equal(uris.parseChangesetUri(compare), undefined);
      }),
    );
  });

  it('name what git has not, for a whole session', () => {
    const uri = uris.uncommittedChangesetUri(uuid);
    assert.deepEqual(uris.parseChangesView(uri), { sessionUuid: uuid, kind: 'uncommitted' });
    for (const it of [uris.sessionChangesetUri(uuid), `${uri}/x`, `host-changeset:/${uuid}/compare/a`, 'file:///x'])
      assert.equal(uris.parseChangesView(it), undefined);
  });

  for (const uri of ['host-session:/', `host-session:/${uuid}/annotations`, `host-chat:/${uuid}`, 'file:///x', '']) {
    it(`'${uri}' is no session`, () => assert.equal(uris.parseSessionUri(uri), undefined));
  }
  for (const uri of [
    `host-content:/${'A'.repeat(64)}/f`,
    'host-content:/ab/f',
    `host-content:/${sha256}/a/b`,
    `host-content:/${sha256}/%`,
  ]) {
    it(`'${uri}' is no content`, () => assert.equal(uris.parseContentUri(uri), undefined));
  }

  it('are not made of a template with a variable that nobody knows', () => {
    assert.equal(uris.expandTemplate('x:/{originalTurnId}/{modifiedTurnId}', { originalTurnId: 'a' }), undefined);
    assert.equal(uris.expandTemplate('x:/{toString}', {}), undefined);
    assert.equal(uris.expandTemplate('x:/plain', {}), 'x:/plain');
  });

  it('choose the channel by their scheme', () => {
    const kinds = [
      uris.ROOT,
      uris.sessionUri(uuid),
      uris.chatUri(uuid),
      uris.sessionChangesetUri(uuid),
      'file:///x',
      'x',
    ];
    assert.deepEqual(
      kinds.map((it) => channelOf(it)?.kind),
      ['root', 'session', 'chat', 'changeset', undefined, undefined],
    );
  });
});
