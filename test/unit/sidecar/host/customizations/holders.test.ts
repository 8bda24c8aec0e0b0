import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { URI } from 'vscode-uri';
import { Holders } from '../../../../../sidecar/host/customizations/holders.ts';
import { togglesIn, withToggles } from '../../../../../sidecar/host/customizations/toggles.ts';
import type { Customization } from '../../../../../sidecar/protocol/channels/session/customizations.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';

const servers = JSON.stringify({ servers: { one: { command: 'one' }, two: { command: 'two' } } });

describe('what customizations say', () => {
  let place: Workspace;
  let holders: Holders;
  let customizations: object[];
  let workingDirectories: string[];
  let asked: string[];
  beforeEach(() => {
    place = openWorkspace({
      'first/.mcp.json': servers,
      'second/.mcp.json': servers,
      'second-too/.mcp.json': servers,
      'second/agents/a.md': '---\nname: A\n---\n\nBe A.\n',
      'second/agents/b.md': 'Be B.',
    });
    [asked, workingDirectories] = [[], ['virtual://elsewhere/x', place.uriOf('first'), place.uriOf('second')]];
    customizations = [];
    holders = new Holders({
      state: () => ({ customizations, workingDirectories }) as unknown as SessionState,
      askClient: (clientId) => async (method, params) => {
        asked.push(`${clientId} ${method} ${params.uri}`);
        return { data: servers, encoding: 'utf-8' };
      },
    });
  });
  afterEach(() => place.remove());
  const server = (id: string, uri: string, name: string) => ({ type: 'mcpServer', id, uri, name });
  const agent = (uri: string, more: object) => ({ type: 'agent', id: uri, uri, ...more });

  it('is of the server that is asked for, in the folder of the session in which its file lies', async () => {
    const children = (folder: string) =>
      ['one', 'two'].map((it) => server(`${folder} ${it}`, place.uriOf(`${folder}/.mcp.json`), it));
    customizations = ['first', 'second', 'second-too'].map((it) => ({
      type: 'directory',
      uri: place.uriOf(it),
      children: children(it),
    }));
    const said = async (id: string) => {
      const { name, raw, folder } = (await holders.server('s', id))!;
      return [name, (raw as { command: string }).command, folder];
    };
    assert.deepEqual(await said('second two'), ['two', 'two', join(place.path, 'second')]);
    assert.deepEqual(await said('first one'), ['one', 'one', join(place.path, 'first')]);
    // It lies in no folder of the session, although its name begins like one: the first that is on disk.
    assert.deepEqual(await said('second-too two'), ['two', 'two', join(place.path, 'first')]);
    assert.equal(await holders.server('s', 'none'), undefined);
  });

  it('is of a server of a plugin in the folder of the plugin, where that is on disk', async () => {
    const inPlugin = (uri: string, more: object = {}) => ({
      type: 'plugin',
      uri,
      ...more,
      children: [server(`of ${uri}`, `${uri}/.mcp.json`, 'one')],
    });
    const far = 'virtual://c/plugin';
    customizations = [inPlugin(place.uriOf('second')), inPlugin(far, { clientId: 'c' })];
    const folderOf = async (uri: string) => (await holders.server('s', `of ${uri}`))?.folder;
    assert.equal(await folderOf(place.uriOf('second')), join(place.path, 'second'));
    assert.equal(await folderOf(far), join(place.path, 'first'));
    assert.deepEqual(asked, [`c resourceRead ${far}/.mcp.json`]);
  });

  it('is of the custom agent that is asked for, with its tools where it names any', async () => {
    const [a, b] = [place.uriOf('second/agents/a.md'), place.uriOf('second/agents/b.md')];
    const children = [agent(a, { name: 'A', tools: ['read'] }), agent(b, { name: 'B', tools: [] })];
    customizations = [{ type: 'directory', uri: place.uriOf('second'), children }];
    assert.deepEqual(await holders.agent('s', b), { name: 'B', instructions: 'Be B.' });
    assert.deepEqual(await holders.agent('s', a), { name: 'A', instructions: 'Be A.', tools: ['read'] });
  });

  for (const { says, uri, isRead } of [
    { says: 'read with the client that holds it', uri: 'virtual://c/p', isRead: true },
    { says: 'not read where it names an address of the web', uri: 'https://c.example/p', isRead: false },
    { says: 'not read where it names a channel of the host', uri: 'host-session:/1', isRead: false },
    { says: 'not read where it names data', uri: 'data:,p', isRead: false },
  ]) {
    it(`is, of a plugin of a client, ${says}`, async () => {
      const files = await holders.filesOf('s', { uri, clientId: 'c' });
      assert.equal(files !== undefined, isRead);
    });
  }

  for (const { says, name, isRead } of [
    { says: 'in a folder of the session', name: 'second/agents', isRead: true },
    { says: 'that is a folder of the session', name: 'second', isRead: true },
    { says: 'beside a folder of the session', name: 'second-too', isRead: false },
  ]) {
    it(`is ${isRead ? '' : 'not '}read from disk for a client, of a plugin ${says}`, async () => {
      const files = await holders.filesOf('s', { uri: URI.file(join(place.path, name)).toString(), clientId: 'c' });
      assert.equal(files !== undefined, isRead);
    });
  }
});

describe('what a person turned on or off', () => {
  const child = (id: string, more: object = {}) => ({ type: 'agent', id, uri: `file:///${id}`, name: id, ...more });
  const directory = (...children: object[]) =>
    ({ type: 'directory', id: 'd', uri: 'file:///d', name: 'd', enabled: true, children }) as unknown as Customization;

  it('is found again in what was stored, inside of containers too', () => {
    const stored = [directory(child('a', { enabled: false }), child('b')), { ...directory(), id: 'e', enabled: false }];
    assert.deepEqual(
      [...togglesIn(stored as Customization[])].sort((a, b) => a[0].localeCompare(b[0])),
      [
        ['a', false],
        ['e', false],
      ],
    );
    assert.equal(togglesIn(undefined).size, 0);
  });
  it('leaves what is as it wants it, also where that is not said', () => {
    const [on, off] = [child('a'), child('b', { enabled: false })];
    const same = withToggles(
      directory(on, off),
      new Map([
        ['a', true],
        ['b', false],
      ]),
    ) as { children?: unknown };
    assert.deepEqual(same.children, [on, off]);
    const changed = withToggles(
      directory(on, off),
      new Map([
        ['a', false],
        ['b', true],
        ['d', false],
      ]),
    ) as { children?: unknown; enabled: boolean };
    assert.deepEqual(changed.children, [child('a', { enabled: false }), child('b', { enabled: true })]);
    assert.equal(changed.enabled, false);
  });
});
