import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { defaultLimits } from '../../../../sidecar/protocol/limits.ts';
import { strippedEnvironment } from '../../../../src/config/environment.ts';
import { type LimitName, limitNames, parseSettings, type RawSettings } from '../../../../src/config/settings.ts';

const nothing: RawSettings = {
  agents: undefined,
  userRules: undefined,
  workspaceRules: undefined,
  idleExitMinutes: undefined,
  durability: undefined,
  publicPort: undefined,
  chatLocation: undefined,
  inputNeeded: undefined,
  finished: undefined,
  systemNotifications: undefined,
  quietHours: undefined,
  gatewayEnabled: undefined,
  sessionTools: undefined,
  allowedCommands: undefined,
};

const named = { id: 'a', displayName: 'A', command: 'x' } as const;

describe('settings', () => {
  it('that nobody made have their defaults', () => {
    assert.deepEqual(parseSettings(nothing), {
      settings: {
        agents: [],
        rules: [],
        idleExitMinutes: 10,
        durability: 'normal',
        publicPort: 0,
        remoteHosts: [],
        chatLocation: 'editor',
        inputNeeded: 'whenChatHidden',
        finished: 'unfocusedOnly',
        systemNotifications: 'off',
        quietHours: '',
        gatewayEnabled: true,
        sessionTools: true,
        agentModels: {},
        editorModels: false,
        budgets: {},
        runLimits: {},
        sandbox: false,
        linkedFolders: [],
        setUpCommand: '',
        allowedCommands: [],
        agentRegistry: undefined,
        limits: defaultLimits,
      },
      problems: [],
    });
  });

  it('hold the budgets that are set', () => {
    const { settings, problems } = parseSettings({
      ...nothing,
      budgets: { session: 2.5, day: 0, folder: undefined, all: 40 },
    });
    assert.deepEqual([settings.budgets, problems], [{ session: 2.5, all: 40 }, []]);
  });

  it('hold the limits on sub-agents and sessions that are set', () => {
    const { settings, problems } = parseSettings({
      ...nothing,
      runLimits: { subAgents: 3, sessions: 0, sessionsInFolder: undefined },
    });
    assert.deepEqual([settings.runLimits, problems], [{ subAgents: 3 }, []]);
  });

  it('hold a setting for each limit of a connection, and take the default for one that does not fit', () => {
    const unset = Object.fromEntries(limitNames.map((it) => [it, undefined])) as Record<LimitName, unknown>;
    const limits = { ...unset, queuedMessages: 3, jsonDepth: 2 };
    const { settings, problems } = parseSettings({ ...nothing, limits });
    assert.deepEqual(settings.limits, { ...defaultLimits, queuedMessages: 3 });
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, /^switchboard\.host\.limits\.jsonDepth: /);
  });

  it('keep the metadata of protected resources as it is given', () => {
    const metadata = {
      resource: 'http://127.0.0.1:8080/api',
      required: false,
      dpop_bound_access_tokens_required: true,
    };
    const agents = [{ ...named, protectedResources: [{ env: 'A_TOKEN', metadata }] }];
    const { settings, problems } = parseSettings({ ...nothing, agents });
    assert.deepEqual([settings.agents[0]?.protectedResources?.[0]?.metadata, problems], [metadata, []]);
  });

  it('that do not fit are named by their key and replaced by the default', () => {
    const cases: readonly [Partial<RawSettings>, RegExp][] = [
      [{ agents: [{ id: 'a', displayName: 'A', comand: 'x' }] }, /^switchboard\.agents\[0\]\.command: /],
      [
        { agents: [{ id: 'a', displayName: 'A', command: 'x', extra: 1 }] },
        /switchboard\.agents\[0\]\.extra: is not a known key/,
      ],
      [
        { agents: [{ ...named, protectedResources: [{ env: 'A B', metadata: { resource: 'https://a.test' } }] }] },
        /agents\[0\]\.protectedResources\[0\]\.env: must be the name of/,
      ],
      ...['http://a.test', 'https://a.test/#b', 'https://', 'a.test', 'http://localhost.evil.test'].map(
        (resource): [Partial<RawSettings>, RegExp] => [
          { agents: [{ ...named, protectedResources: [{ env: 'A', metadata: { resource } }] }] },
          /agents\[0\]\.protectedResources\[0\]\.metadata\.resource: must be an https URL/,
        ],
      ),
      [{ agents: [{ id: 'Big Id', displayName: 'A', command: 'x' }] }, /switchboard\.agents\[0\]\.id: /],
      [{ idleExitMinutes: -1 }, /^switchboard\.host\.idleExitMinutes: /],
      [{ agentRegistry: 'http://example.test/list.json' }, /^switchboard\.agentRegistry: must be an https URL/],
      [{ publicPort: 70_000 }, /^switchboard\.host\.publicPort: /],
      [{ durability: 'never' }, /^switchboard\.host\.durability: /],
      [{ chatLocation: 7 }, /^switchboard\.chat\.location: /],
      [{ inputNeeded: 'sometimes' }, /^switchboard\.notifications\.inputNeeded: /],
      [{ finished: 'sometimes' }, /^switchboard\.notifications\.finished: /],
      [{ systemNotifications: true }, /^switchboard\.notifications\.system: /],
      [{ quietHours: '25:00-07:00' }, /^switchboard\.notifications\.quietHours: /],
      [{ gatewayEnabled: 'yes' }, /^switchboard\.gateway\.enabled: /],
      [{ agentModels: { claude: 'mine' } }, /^switchboard\.agentModels\.claude: /],
      [{ budgets: { session: -1, day: 0, folder: 0, all: 0 } }, /^switchboard\.budget\.session: /],
      [{ runLimits: { subAgents: 1.5, sessions: 0, sessionsInFolder: 0 } }, /^switchboard\.limit\.subAgents: /],
      [{ sessionTools: 1 }, /^switchboard\.gateway\.sessionTools: /],
      [{ allowedCommands: [''] }, /^switchboard\.gateway\.allowedCommands\[0\]: /],
      [{ userRules: [{ effect: 'allow', target: 'shell' }] }, /^switchboard\.permissions\.rules\[0\]\.pattern: /],
    ];
    for (const [raw, problem] of cases) {
      const { settings, problems } = parseSettings({ ...nothing, ...raw });
      assert.match(problems.join('\n'), problem);
      assert.deepEqual(settings, parseSettings(nothing).settings);
    }
  });

  it('name an agent id that is used twice', () => {
    const agent = { id: 'a', displayName: 'A', command: 'x' };
    const { problems } = parseSettings({ ...nothing, agents: [agent, agent] });
    assert.deepEqual(problems, ['switchboard.agents[1].id: "a" is used twice']);
  });

  it('drop a whole list of rules when one of them does not fit, so that no half of it widens anything', () => {
    const good = { effect: 'allow', target: 'shell', pattern: 'npm test' };
    const { settings } = parseSettings({ ...nothing, userRules: [good, { ...good, effect: 'alow' }] });
    assert.deepEqual(settings.rules, []);
  });

  it('say of each rule where it comes from, with an id that stays', () => {
    const rule = { effect: 'deny', target: 'edit', pattern: '**/*.lock' } as const;
    const read = () => parseSettings({ ...nothing, userRules: [rule], workspaceRules: [rule] }).settings.rules;
    assert.deepEqual(
      read().map((it) => it.source),
      ['user', 'workspace'],
    );
    assert.equal(new Set(read().map((it) => it.id)).size, 2);
    assert.deepEqual(read(), read());
  });
});

describe('the environment of the window', () => {
  it('goes to agents without what steers the editor', () => {
    assert.deepEqual(
      strippedEnvironment({
        PATH: '/bin',
        HOME: '/home/me',
        ELECTRON_RUN_AS_NODE: '1',
        NODE_OPTIONS: '--inspect',
        VSCODE_PID: '1',
        vscode_ipc_hook: 'x',
        EMPTY: '',
        GONE: undefined,
      }),
      { PATH: '/bin', HOME: '/home/me', EMPTY: '' },
    );
  });
});
