import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  hookChildren,
  idOf,
  serverChildren,
  serverIn,
} from '../../../../../sidecar/host/customizations/jsonChildren.ts';
import { togglesIn, withToggles } from '../../../../../sidecar/host/customizations/toggles.ts';
import type { Customization } from '../../../../../sidecar/protocol/channels/session/customizations.ts';

const URI = 'file:///w/mcp.json';

describe('what stands in a JSON file of a customization', () => {
  it('is each server or hook with its place, and an id that stays', () => {
    const source =
      '{\n  // ours\n  "servers": {\n    "one": { "command": "x" },\n    "two": { "disabled": true },\n  }\n}';
    const { children, problem } = serverChildren(URI, source);
    assert.equal(problem, undefined);
    assert.deepEqual(
      children.map((it) => [it.name, it.id, it.type === 'mcpServer' && it.enabled]),
      [
        ['one', idOf(URI, 'one'), true],
        ['two', idOf(URI, 'two'), false],
      ],
    );
    const [first] = children;
    assert.deepEqual('range' in first! && first.range, {
      start: { line: 3, character: 4 },
      end: { line: 3, character: 29 },
    });
    assert.deepEqual(
      hookChildren(URI, '{"hooks":{"stop":[]}}').children.map((it) => [it.type, it.name]),
      [['hook', 'stop']],
    );
    assert.notEqual(idOf(URI, 'one'), idOf(`${URI}x`, 'one'));
  });
  it('is found under either name, the own one of the editor first', () => {
    const both = '{"mcpServers":{"a":{"command":"theirs"},"b":{}},"servers":{"a":{"command":"ours"}}}';
    assert.deepEqual({ ...(serverIn(both, 'a') as object) }, { command: 'ours' });
    assert.deepEqual({ ...(serverIn(both, 'b') as object) }, {});
    assert.deepEqual([serverIn(both, 'c'), serverIn('', 'a'), serverIn('{', 'a')], [undefined, undefined, undefined]);
    assert.deepEqual(
      serverChildren(URI, both).children.map((it) => it.name),
      ['a'],
    );
  });
  for (const [says, source, problem] of [
    ['nothing', '', /./],
    ['a mistake', '{\n  "servers": {"a" 1}\n}', /^line 2, column \d+: /],
    ['a list', '{"servers":[]}', /^servers or mcpServers: must be an object$/],
  ] as const)
    it(`is nothing where there is ${says}, and a person is told why`, () => {
      const read = serverChildren(URI, source);
      assert.deepEqual(read.children, []);
      assert.match(read.problem ?? '', problem);
    });
  it('is nothing where it says nothing of it, without a problem', () => {
    assert.deepEqual(serverChildren(URI, '{"other":1}'), { children: [] });
  });
});

describe('customizations that a person turned off', () => {
  const entry = (enabled: boolean, child?: boolean) =>
    ({
      id: 'p',
      type: 'plugin',
      enabled,
      children: [{ id: 'c', type: 'hook', ...(child !== undefined && { enabled: child }) }],
    }) as unknown as Customization;

  it('are remembered by themselves and by what is in them', () => {
    assert.deepEqual(
      [...togglesIn([entry(false, false)])],
      [
        ['p', false],
        ['c', false],
      ],
    );
    assert.deepEqual([...togglesIn([entry(true)]), ...togglesIn(undefined)], []);
  });
  it('are so at the next look, and the same object where nothing is different', () => {
    const off = new Map([['c', false]]);
    const next = withToggles(entry(true), off);
    assert.deepEqual([...togglesIn([next])], [['c', false]]);
    const on = withToggles(
      entry(false, false),
      new Map([
        ['p', true],
        ['c', true],
      ]),
    );
    assert.deepEqual([...togglesIn([on])], []);
    const without = { id: 'x', type: 'plugin', enabled: true } as unknown as Customization;
    assert.equal(withToggles(without, off), without);
  });
});
