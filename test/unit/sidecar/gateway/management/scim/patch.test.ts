import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { applyPatch } from '../../../../../../sidecar/gateway/management/scim/patch.ts';
import type { PatchOperation } from '../../../../../../sidecar/gateway/management/scim/wire.ts';

const rules = {
  userName: {},
  active: {},
  name: { members: ['givenName', 'familyName'] },
  emails: { isList: true, members: ['value', 'type'] },
  members: { isList: true, members: ['value'] },
};
const before = {
  id: 'u1',
  userName: 'ada',
  active: true,
  name: { givenName: 'Ada' },
  emails: [{ type: 'work', value: 'a@x' }],
  members: [{ value: '1' }, { value: '2' }],
};
const patched = (...operations: PatchOperation[]) => applyPatch(before, operations, rules);

describe('the operations of a PATCH', () => {
  const rows: readonly (readonly [what: string, operation: PatchOperation, changes: object])[] = [
    ['replace attributes without a path', { op: 'replace', value: { active: false } }, { active: false }],
    ['replace one, whatever case its name has', { op: 'replace', path: 'Active', value: 'False' }, { active: 'False' }],
    [
      'replace one with its schema',
      { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName', value: 'b' },
      { userName: 'b' },
    ],
    [
      'keep other members of an object',
      { op: 'add', path: 'name.familyName', value: 'L' },
      { name: { givenName: 'Ada', familyName: 'L' } },
    ],
    [
      'read paths as names',
      { op: 'replace', value: { 'name.familyName': 'L' } },
      { name: { givenName: 'Ada', familyName: 'L' } },
    ],
    [
      'change the element that a filter selects',
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'b@x' },
      { emails: [{ type: 'work', value: 'b@x' }] },
    ],
    [
      'add the element that a filter would select',
      { op: 'replace', path: 'emails[type eq "home"].value', value: 'h@x' },
      {
        emails: [
          { type: 'work', value: 'a@x' },
          { type: 'home', value: 'h@x' },
        ],
      },
    ],
    [
      'remove the element that a filter selects',
      { op: 'remove', path: 'members[value eq "1"]' },
      { members: [{ value: '2' }] },
    ],
    [
      'remove the elements that they name',
      { op: 'remove', path: 'members', value: [{ value: '2' }] },
      { members: [{ value: '1' }] },
    ],
    ['remove all elements', { op: 'remove', path: 'members' }, { members: [] }],
    [
      'add elements once',
      { op: 'add', path: 'members', value: [{ value: '2' }, { value: '3' }] },
      { members: [{ value: '1' }, { value: '2' }, { value: '3' }] },
    ],
    [
      'replace all elements',
      { op: 'replace', path: 'members', value: [{ value: '9' }] },
      { members: [{ value: '9' }] },
    ],
    ['remove an attribute', { op: 'remove', path: 'active' }, { active: undefined }],
    ['ignore attributes that nobody keeps', { op: 'replace', value: { title: 'Dr', nickName: 'A' } }, {}],
    [
      'ignore an extension',
      { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'x' },
      {},
    ],
    ['ignore an ID that is the same', { op: 'replace', value: { id: 'u1', active: false } }, { active: false }],
  ];
  for (const [what, operation, changes] of rows) {
    it(what, () => assert.deepEqual(patched(operation), { ...before, ...changes }));
  }

  it('take effect one after another, and leave what they began with alone', () => {
    const after = patched({ op: 'remove', path: 'members' }, { op: 'add', path: 'members', value: { value: '7' } });
    assert.deepEqual(after['members'], [{ value: '7' }]);
    assert.equal(before.members.length, 2);
  });

  const wrong: readonly (readonly [what: string, operation: PatchOperation, scimType: string])[] = [
    ['no path to remove', { op: 'remove' }, 'noTarget'],
    ['no object without a path', { op: 'add', value: 'x' }, 'invalidValue'],
    ['another ID', { op: 'replace', value: { id: 'u2' } }, 'mutability'],
    ['the ID by its path', { op: 'replace', path: 'id', value: 'u2' }, 'mutability'],
    ['a path that cannot be read', { op: 'replace', path: 'a..b', value: 1 }, 'invalidPath'],
    [
      'a filter on what is no list',
      { op: 'replace', path: 'name[givenName eq "Ada"].familyName', value: 1 },
      'invalidPath',
    ],
    ['a filter that is not supported', { op: 'remove', path: 'members[value sw "1"]' }, 'invalidFilter'],
    ['a filter on another attribute', { op: 'remove', path: 'members[constructor eq "1"]' }, 'invalidFilter'],
    ['a member of a list without a filter', { op: 'replace', path: 'emails.value', value: 'x' }, 'invalidPath'],
  ];
  for (const [what, operation, scimType] of wrong) {
    it(`are refused where they have ${what}`, () =>
      assert.throws(() => patched(operation), { code: 'invalid_params', data: { scimType } }));
  }
});
