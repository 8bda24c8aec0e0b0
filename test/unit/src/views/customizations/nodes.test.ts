import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Customization } from '../../../../../sidecar/protocol/channels/session/customizations.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { moveServer } from '../../../../../src/views/customizations/moveServer.ts';
import { newItem } from '../../../../../src/views/customizations/newItem.ts';
import { customizationNodes, sessionNodes } from '../../../../../src/views/customizations/nodes.ts';
import { shownIcon } from '../../../../../src/views/customizations/trustedIcons.ts';
import { english, summary } from '../../../../support/extensionStates.ts';
import { verifies } from '../../../../support/verifies.ts';

const rules: Customization = {
  type: 'directory',
  id: 'd',
  uri: 'file:///w/.github/instructions',
  name: '.github/instructions',
  contents: 'rule',
  writable: true,
  enabled: true,
  load: { kind: 'degraded', message: 'b.md: is broken\nc.md: too' },
  children: [
    {
      type: 'rule',
      id: 'r',
      uri: 'file:///w/.github/instructions/a.instructions.md',
      name: 'a',
      globs: ['**/*.ts'],
      enabled: false,
    },
  ],
};
const hooks: Customization = {
  type: 'directory',
  id: 'h',
  uri: 'file:///w/.claude',
  name: '.claude/settings',
  contents: 'hook',
  writable: false,
  enabled: false,
  load: { kind: 'loaded' },
  children: [
    {
      type: 'hook',
      id: 'h1',
      uri: 'file:///w/.claude/settings.json',
      name: 'Stop',
      range: { start: { line: 2, character: 4 }, end: { line: 2, character: 20 } },
    },
  ],
};
const plugin: Customization = {
  type: 'plugin',
  id: 'p',
  uri: 'virtual://mine',
  name: 'Mine',
  version: '1.2.0',
  enabled: true,
  load: { kind: 'loading' },
};
const server: Customization = {
  type: 'mcpServer',
  id: 'm',
  uri: 'virtual://mine/mcp.json',
  name: 'things',
  enabled: true,
  state: { kind: 'error', error: { errorType: 'x', message: 'It does not answer.' } },
};
const nodes = (customizations: Customization[] | undefined) =>
  customizationNodes(
    english,
    's',
    { ...(customizations && { customizations }) } as unknown as SessionState, // only this member is read
    [],
  );

describe('the view of customizations', () => {
  it('1c-11 has a row for the session of the open chat, and one for the newest session of every other folder', () => {
    const at = (id: string, title: string, day: string, ...workingDirectories: string[]) =>
      summary({ resource: `host-session:/${id}`, title, modifiedAt: `2026-11-0${day}T00:00:00Z`, workingDirectories });
    const sessions = [
      at('1', 'One', '1', 'file:///w'),
      at('2', 'Two', '2', 'file:///tree'),
      at('3', 'Three', '3', 'file:///w'),
      at('4', 'Four', '4', 'file:///a', 'file:///b'),
      at('5', 'Five', '1', 'file:///b', 'file:///a'),
    ];
    const rows = (ofOpenChat?: string) =>
      sessionNodes(sessions, ofOpenChat).map((it) => `${it.label} ${it.description} ${it.opens}`);
    assert.deepEqual(rows(), ['Four a, b open', 'Three w closed', 'Two tree closed']);
    assert.deepEqual(rows('host-session:/1'), ['One w open', 'Four a, b closed', 'Two tree closed']);
  });

  it('1c-10 starts, stops and restarts a server that is turned on, by what it does now', () => {
    const states = ['ready', 'starting', 'stopped'] as const;
    const rows = nodes(states.map((kind, at) => ({ ...server, id: `m${at}`, state: { kind } }) as Customization));
    assert.deepEqual(
      rows.map((it) => it.server?.isUp),
      [true, true, false],
    );
    assert.equal(nodes([{ ...server, enabled: false } as Customization])[0]?.server, undefined);
    const sent: unknown[] = [];
    moveServer(rows[0], ['stop', 'start'], { dispatch: (session, action) => void sent.push([session, action]) });
    assert.deepEqual(sent, [
      ['s', { type: 'session/mcpServerStopRequested', id: 'm0' }],
      ['s', { type: 'session/mcpServerStartRequested', id: 'm0' }],
    ]);
  });

  it('shows directories and plugins with their load states, and what they hold', () => {
    const [first, second, third, fourth] = nodes([rules, hooks, plugin, server]);
    assert.deepEqual(
      [first, second, third, fourth].map((it) => [it?.label, it?.description, it?.icon, it?.opens]),
      [
        ['.github/instructions', 'Rules · 1 · b.md: is broken', 'warning', 'closed'],
        ['.claude/settings', 'Hooks · 1', 'folder', 'closed'],
        ['Mine', 'Plugin · 1.2.0', 'loading~spin', 'never'],
        ['things', 'It does not answer.', 'error', 'never'],
      ],
    );
    assert.equal(first?.tooltip, 'b.md: is broken\nc.md: too');
    assert.deepEqual(first?.toggles, { id: 'd', isOn: true });
    assert.deepEqual(second?.toggles, { id: 'h', isOn: false });
    assert.equal(third?.file, undefined, 'what a client holds is no file here');
  });

  it('says at a hook that does not run why', () => {
    verifies('host.customization.client-hooks');
    const [hook] = hooks.children ?? [];
    const refused = { ...hooks, children: [{ ...hook!, _meta: { refused: 'Because.' } }] };
    const [row] = nodes([refused])[0]?.children ?? [];
    assert.deepEqual([row?.description, row?.tooltip], ['not running', 'Because.\nfile:///w/.claude/settings.json']);
  });

  it('opens a child where its range begins, and offers a new one where a directory is writable', () => {
    const [first, second] = nodes([rules, hooks]);
    const [rule, make] = first?.children ?? [];
    assert.deepEqual([rule?.label, rule?.description, rule?.icon], ['a', '**/*.ts', 'law']);
    assert.deepEqual(rule?.toggles, { id: 'r', isOn: false });
    assert.deepEqual(
      [make?.label, make?.creates],
      ['New Rule…', { directory: 'file:///w/.github/instructions', contents: 'rule' }],
    );
    assert.deepEqual(second?.children?.[0]?.file, {
      uri: 'file:///w/.claude/settings.json',
      range: { start: { line: 2, character: 4 }, end: { line: 2, character: 20 } },
    });
    assert.equal(second?.children?.length, 1, 'no new hooks');
  });

  it('says that it waits, and that nothing customizes a session', () => {
    assert.deepEqual(
      customizationNodes(english, 's', undefined, []).map((it) => it.label),
      ['Loading…'],
    );
    assert.deepEqual(
      nodes(undefined).map((it) => it.label),
      ['This session has no customizations.'],
    );
  });

  for (const [directory, contents, expected] of [
    ['file:///w/.github/instructions', 'rule', '/My%20rule.instructions.md'],
    ['file:///w/.github/prompts', 'prompt', '/My%20rule.prompt.md'],
    ['file:///w/.github/agents', 'agent', '/My%20rule.agent.md'],
    ['file:///w/.claude/agents', 'agent', '/My%20rule.md'],
    ['file:///w/.cursor/rules', 'rule', '/My%20rule.mdc'],
    ['file:///w/.agents/skills', 'skill', '/My%20rule/SKILL.md'],
  ] as const) {
    it(`makes a new ${contents} in ${directory} as ${expected}`, () => {
      const { uri, folder, text } = newItem(directory, contents, 'My rule');
      assert.equal(uri, `${directory}${expected}`);
      assert.equal(folder, uri.slice(0, uri.lastIndexOf('/')));
      assert.match(text, /^---\n[\s\S]+\n---\n\n$/);
    });
  }
});

describe('icons that agents, plugins, and servers give', () => {
  const png = 'data:image/png;base64,iVBORw0KGgo=';
  const shown = (src: string, hosts: readonly string[] = []) => shownIcon([{ src }], hosts)?.light;
  for (const [src, isShown] of [
    [png, true],
    ['data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"/>', true],
    ['data:text/html,<script>alert(1)</script>', false],
    ['data:image/svg+xml-not;,x', false],
    [`${png}${'A'.repeat(64 * 1024)}`, false],
    ['https://example.com/icon.png', false],
    ['http://trusted.example/icon.png', false],
    ['https://trusted.example/icon.png', true],
    ['https://trusted.example.evil.example/icon.png', false],
    ['https://user@trusted.example/icon.png', false],
    ['javascript:alert(1)', false],
    ['file:///etc/passwd', false],
    ['vscode-webview://x/y', false],
    ['//trusted.example/icon.png', false],
    ['', false],
  ] as const) {
    it(`are ${isShown ? '' : 'not '}shown for ${src.slice(0, 60)}`, () => {
      verifies('host.icon.trusted');
      assert.equal(shown(src, ['trusted.example']), isShown ? src : undefined);
    });
  }

  it('stand in rows in place of the usual one, for each theme, and never in place of a load state', () => {
    verifies('host.icon.trusted');
    const own = [
      { src: png, theme: 'dark' as const },
      { src: `${png}#light`, theme: 'light' as const },
    ];
    const [loaded, failed] = nodes([
      { ...plugin, load: { kind: 'loaded' }, icons: own },
      { ...rules, icons: [{ src: 'https://example.com/icon.png' }] },
    ]);
    assert.deepEqual(loaded?.image, { dark: png, light: `${png}#light` });
    assert.equal(failed?.image, undefined);
  });
});
