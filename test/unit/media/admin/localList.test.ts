import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Column } from '../../../../media/admin/kit/table.ts';
import { pageLocally, sortingOf } from '../../../../media/admin/records/localList.ts';

interface Team {
  readonly name: string;
  readonly spend?: number | null;
}
const columns: readonly Column<Team>[] = [
  { name: 'Team', sort: 'name', sortValue: (it) => it.name, cell: (it) => it.name },
  { name: 'Spend', isNumber: true, sort: 'spend', sortValue: (it) => it.spend, cell: (it) => String(it.spend) },
  { name: 'Status', cell: () => '' },
];
const teams: readonly Team[] = [
  { name: 'team 10', spend: 0 },
  { name: 'Älpha', spend: null },
  { name: 'team 9', spend: 12.5 },
  { name: 'beta', spend: 3 },
];
const list = { textOf: (it: Team) => it.name, columns };
const shown = (query: Readonly<Record<string, string>>) => pageLocally(teams, query, list).rows.map((it) => it.name);

describe('a list that the gateway answers whole', () => {
  it('stays in the order of the gateway until somebody sorts it', () => {
    assert.deepEqual(shown({}), ['team 10', 'Älpha', 'team 9', 'beta']);
    assert.deepEqual(shown({ sort: 'unknown' }), ['team 10', 'Älpha', 'team 9', 'beta']);
  });

  it('sorts names as people do, and numbers within them by their value', () => {
    assert.deepEqual(shown({ sort: 'name', order: 'asc' }), ['Älpha', 'beta', 'team 9', 'team 10']);
    assert.deepEqual(shown({ sort: 'name', order: 'desc' }), ['team 10', 'team 9', 'beta', 'Älpha']);
  });

  it('puts rows without the value last in both directions', () => {
    assert.deepEqual(shown({ sort: 'spend', order: 'desc' }), ['team 9', 'beta', 'team 10', 'Älpha']);
    assert.deepEqual(shown({ sort: 'spend', order: 'asc' }), ['team 10', 'beta', 'team 9', 'Älpha']);
  });

  it('sorts before it takes a page', () => {
    const many = Array.from({ length: 60 }, (_, at) => ({ name: `team ${at}`, spend: at }));
    const page = pageLocally(many, { sort: 'spend', order: 'desc', p: '2' }, list);
    assert.equal(page.rows[0]?.name, 'team 34');
    assert.equal(page.totalPages, 3);
  });
});

describe('the headings of a list that the gateway answers whole', () => {
  const asked = (query: Readonly<Record<string, string>>, by: string) => {
    let found: object | undefined;
    sortingOf(query, columns, (it) => void (found = it))?.sort(by);
    return found;
  };

  it('put the most first at the first press, names from the start, and turn round at the next press', () => {
    assert.deepEqual(asked({}, 'spend'), { sort: 'spend', order: 'desc', p: '' });
    assert.deepEqual(asked({ sort: 'spend', order: 'desc' }, 'spend'), { sort: 'spend', order: 'asc', p: '' });
    assert.deepEqual(asked({ sort: 'spend', order: 'desc' }, 'name'), { sort: 'name', order: 'asc', p: '' });
    assert.deepEqual(asked({ sort: 'name', order: 'asc' }, 'name'), { sort: 'name', order: 'desc', p: '' });
  });

  it('sort nothing where no column says by what', () => {
    assert.equal(
      sortingOf({}, columns.slice(2), () => undefined),
      undefined,
    );
  });
});
