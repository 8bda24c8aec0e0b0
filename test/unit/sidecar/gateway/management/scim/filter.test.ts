import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readFilter } from '../../../../../../sidecar/gateway/management/scim/filter.ts';

const attributes = ['username', 'externalid', 'emails.value', 'active'];
const resource: Readonly<Record<string, unknown>> = {
  username: 'Ada@Example.com',
  externalid: 'X1',
  'emails.value': ['ada@example.com', 'a@example.org'],
  active: true,
};
const isFound = (filter: string) => readFilter(filter, attributes)((name) => resource[name]);

describe('a filter of SCIM', () => {
  const found = [
    'userName eq "ada@example.com"',
    'USERNAME EQ "ada@example.com"',
    'externalId eq "X1"',
    'emails.value eq "a@example.org"',
    'active eq true',
    'active eq True',
    'userName eq "nobody" or externalId eq "X1"',
    'userName eq "nobody" and active eq false or externalId eq "X1" and active eq true',
    'userName eq "\\u0061da@example.com"',
  ];
  const others = [
    'userName eq "ada"',
    'externalId eq "x1"',
    'active eq false',
    'active eq "true"',
    'externalId eq "X1" and userName eq "nobody"',
    'userName eq "x\\" or active eq true or userName eq \\"y"',
    'userName eq "\' or 1=1 --"',
    'userName eq "*"',
    'userName eq ""',
  ];
  for (const it of found) verify(it, true);
  for (const it of others) verify(it, false);
  function verify(filter: string, is: boolean) {
    it(`${is ? 'finds' : 'does not find'} the user: ${filter}`, () => assert.equal(isFound(filter), is));
  }

  const wrong = [
    '',
    'userName',
    'userName eq',
    'userName eq ada',
    'userName pr',
    'userName co "a"',
    'userName ne "a"',
    'not (userName eq "a")',
    '(userName eq "a")',
    'userName eq "a" or',
    'userName eq "a" or userName pr',
    'userName eq "a" userName eq "b"',
    'userName eq "a" xor active eq true',
    'userName eq "a"; drop table records',
    'userName eq "\\q"',
    'userName eq "a',
    'userName eq null',
    'password eq "a"',
    'constructor eq "a"',
    'emails[type eq "work"].value eq "a"',
    `userName eq "${'a'.repeat(1_100)}"`,
    Array.from({ length: 40 }, () => 'active eq true').join(' or '),
  ];
  for (const filter of wrong) {
    it(`is refused as invalidFilter: ${filter.slice(0, 60)}`, () => {
      assert.throws(() => isFound(filter), { code: 'invalid_params', data: { scimType: 'invalidFilter' } });
    });
  }
});
