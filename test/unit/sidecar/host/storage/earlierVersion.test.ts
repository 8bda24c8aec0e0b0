import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import { limitNames, parseSettings, type RawSettings } from '../../../../../src/config/settings.ts';
import { settingIds } from '../../../../../src/manifest/manifest.ts';
import { projectRoot } from '../../../../support/cache.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const folder = join(projectRoot, 'test', 'fixtures', 'host', 'version-0.1.0');
const fixture = (name: string) => readFileSync(join(folder, name), 'utf8');

describe("a host's data of version 0.1.0", () => {
  let dataDir: string;
  let workspace: Workspace;
  let place: HostPlace | undefined;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-earlier-host-'));
    workspace = openWorkspace({ 'a.txt': 'after\n' });
    run(fixture('host.sql').replaceAll('/home/ada/work', workspace.path));
    copyFileSync(join(folder, 'host.journal'), join(dataDir, 'host.journal'));
  });
  afterEach(async () => {
    await place?.close();
    place = undefined;
    workspace.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });

  function run(sql: string): void {
    const database = new DatabaseSync(join(dataDir, 'host.db'));
    database.exec(sql);
    database.close();
  }
  const agent = scriptedProvider(async function* ({ text }) {
    yield { kind: 'text', partId: 'a', text: `You said: ${text}` };
  });
  const open = async () => (place = await openHostPlace([agent], { dataDir }));

  it('is opened with its sessions, their turns and changes, and what was only in the journal', async () => {
    verifies('host.upgrade.earlier-version');
    const peer = await (await open()).connect('another client');
    const { items } = await peer.request('root/listSessions', {});
    assert.deepEqual(
      items.map((it) => it.title),
      ['Only in the journal', 'Repair the login'],
    );
    const chats = new Map<string, ChatState>();
    for (const { resource, title, defaultChat } of items) {
      await peer.subscribe(resource);
      await peer.subscribe(defaultChat ?? '');
      chats.set(title, peer.chat(defaultChat ?? ''));
    }
    const said = (title: string) =>
      chats
        .get(title)
        ?.turns.map(({ message, responseParts }) => [
          message.text,
          responseParts.map((it) => (it.kind === 'markdown' ? it.content : '')).join(''),
        ]);
    assert.deepEqual(said('Repair the login'), [
      ['write', 'You said: write'],
      ['describe the login', 'You said: describe the login'],
    ]);
    // The last one was under way when the process ended: its words were in the journal alone.
    assert.deepEqual(said('Only in the journal'), [
      ['explain the tests', 'You said: explain the tests'],
      ['wait', 'You said: wait'],
    ]);
    const [first] = items.filter((it) => it.title === 'Repair the login');
    const { snapshot } = await peer.request('subscribe', {
      channel: `${first?.resource.replace('session', 'changeset')}/session`,
    });
    assert.match(JSON.stringify(snapshot?.state), /a\.txt/);
    const chat = first?.defaultChat ?? '';
    await peer.ended(chat, await peer.prompt(chat, 'go on'));
    assert.equal(peer.chat(chat).turns.length, 3);
  });

  it('is refused in words once a later version has written it, and stays as it is', async () => {
    verifies('host.upgrade.later-version');
    run('PRAGMA user_version = 999');
    await assert.rejects(open(), { failure: 'newer', message: /was written by a later version\. Update Switchboard$/ });
    assert.deepEqual(
      readdirSync(dataDir).filter((it) => /set-aside|host\.db$|journal/.test(it)),
      ['host.db', 'host.journal'],
    );
    assert.equal(readFileSync(join(dataDir, 'host.journal'), 'utf8'), fixture('host.journal'));
    const database = new DatabaseSync(join(dataDir, 'host.db'));
    assert.equal(database.prepare('SELECT count(*) AS count FROM session').get()?.['count'], 2);
    database.close();
  });

  it('comes with settings that are all known and right today', () => {
    verifies('host.upgrade.earlier-version');
    const settings = JSON.parse(fixture('settings.json')) as Record<string, unknown>;
    const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
      contributes: { configuration: readonly { properties: Readonly<Record<string, unknown>> }[] };
    };
    const known = new Set(manifest.contributes.configuration.flatMap((it) => Object.keys(it.properties)));
    assert.deepEqual(
      Object.keys(settings).filter((it) => !known.has(it)),
      [],
    );
    const named = Object.fromEntries(Object.entries(settingIds).map(([name, id]) => [name, settings[id]]));
    const raw = {
      ...named,
      userRules: settings[settingIds.permissionRules],
      limits: Object.fromEntries(limitNames.map((it) => [it, settings[settingIds[it]]])),
    };
    const read = parseSettings(raw as unknown as RawSettings);
    assert.deepEqual(read.problems, []);
    const { agents, rules, idleExitMinutes, remoteHosts, chatLocation, limits } = read.settings;
    assert.deepEqual(
      [agents.length, rules.length, idleExitMinutes, remoteHosts.length, chatLocation, limits.queuedMessages],
      [1, 2, 30, 1, 'sideBar', 50],
    );
  });
});
