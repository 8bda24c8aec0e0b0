import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { residentMb } from '../bench/gateway/processFigures.ts';
import { agentPath, type SdkAgent, startSdkAgent } from '../support/a2a/sdkAgent.ts';
import { installAgents, realAgents } from '../support/agents/realAgents.ts';
import { type CloudServiceUnderTest, startCloudService } from '../support/backends/cloudService.ts';
import { cloudConfig } from '../support/host/cloudPeer.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { registeredAt } from '../support/model/registered.ts';
import { type ModelServer, startModel } from '../support/model/server.ts';
import { say as print } from '../support/say.ts';
import { openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';
import { answersIn, chooseAgent, say } from '../vscode/driver/chat.ts';
import { Editor } from '../vscode/driver/editor.ts';
import { pictureFailures } from '../vscode/driver/steps.ts';
import { until, untilSeen } from '../vscode/driver/until.ts';
import type { EditorWindow } from '../vscode/driver/window.ts';

/** How long the agents work: `SWITCHBOARD_WORK_MINUTES=10 npm run test:agents -- all agents at once`. */
const minutes = Number(process.env['SWITCHBOARD_WORK_MINUTES'] ?? 0.5);
/** What the host may need at the end, against after the first quarter: its memory does not grow with its turns. */
const FLAT = 1.15;
const bin = await installAgents();

interface Worker {
  readonly name: string;
  /** The prompt of round `n`. */
  readonly prompt: (n: number) => string;
  /** What an answer to it says. */
  readonly answer: (n: number) => RegExp;
  /** Where each round leaves a line. */
  readonly ledger?: string;
}

const local = (name: string): Worker => {
  const ledger = `${name.toLowerCase()}.txt`;
  return { name, ledger, prompt: (n) => `shell echo ${name} ${n} >> ${ledger}`, answer: () => /Done/ };
};
const asked = (n: number) => n % 3 === 2;
const workers: readonly Worker[] = [
  local('Claude'),
  local('OpenCode'),
  local('Switchboard'),
  {
    name: 'Weather',
    prompt: (n) => (asked(n) ? 'ask' : `what is the weather on day ${n}?`),
    answer: (n) => (asked(n) ? /you said Rome/ : /sun/),
  },
  { name: 'Cloud agents', prompt: (n) => `round ${n}`, answer: (n) => new RegExp(`I did: round ${n}$`) },
];

describe('all agents at once', () => {
  let model: ModelServer;
  let weather: SdkAgent;
  let cloud: CloudServiceUnderTest;
  let editor: Editor;
  let window: EditorWindow;
  let place: SidecarPlace;
  let peer: HostPeer;
  /** Of each worker: its session and chat. */
  const sessions = new Map<string, { readonly session: string; readonly chat: string }>();

  before(async () => {
    [model, weather, cloud] = await Promise.all([startModel(), startSdkAgent('1.0'), startCloudService()]);
    const real = realAgents(bin);
    editor = await Editor.open('all agents', {
      settings: {
        'switchboard.agents': real.map(({ setting }) => setting),
        'switchboard.agentModels': { claude: 'gateway', opencode: 'gateway' },
      },
      env: ({ root }) => Object.assign({}, ...real.map((it) => it.env(join(root, 'home'), 'http://127.0.0.1:9'))),
    });
    mkdirSync(editor.hostDataDir, { recursive: true });
    const gatewayModel = registeredAt(editor.hostDataDir, model.url);
    const model_list = [
      gatewayModel('claude-*', 'anthropic', ''),
      gatewayModel('fake-model', 'openai_compatible', '/v1'),
    ];
    const config = { model_list, ...cloudConfig(editor.hostDataDir, cloud.url) };
    writeFileSync(join(editor.hostDataDir, 'switchboard.jsonc'), JSON.stringify(config));
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await window.view('Gateway');
    await until('the gateway runs', () => existsSync(join(editor.hostDataDir, 'gateway.db')));
    await window.command('Switchboard: Add A2A Agent');
    await window.type(`${weather.url}${agentPath}/.well-known/agent-card.json`);
    await window.accept();
    await window.accept();
    await window.page.locator('.quick-input-widget').getByText('Agent API key').waitFor();
    await window.accept();
    await window.notifications.toast('Weather was added').first().waitFor();
    await window.notifications.clear();
    await window.fold('Gateway', 'Changes');
  });
  pictureFailures(() => window);
  after(async () => {
    peer?.close();
    await place?.close();
    await editor?.close();
    await weather?.close();
    await cloud?.close();
    await model?.close();
  });

  it('begin a session each', async () => {
    for (const { name } of workers) {
      await window.closeEditors();
      await window.command('Switchboard: New Session');
      const chat = await window.chat();
      await chooseAgent(chat, name);
      await say(chat, `say I am ${name}.`);
      if (name === 'Cloud agents') {
        await chat.getByRole('textbox', { name: /Address of the repository/ }).fill('https://git.example/owner/name');
        await chat.getByRole('button', { name: 'Submit' }).click();
      }
      await until(`${name} answers`, async () => /I am|sun/.test(await answersIn(chat)), 120_000);
    }
    place = openSidecarPlace(undefined, editor.hostDataDir);
    peer = new HostPeer(place.start().peer);
    await peer.initialize(randomUUID(), testWindow);
    const { items } = await peer.request('listSessions', {});
    for (const { resource } of items) {
      const { defaultChat } = await peer.subscribe<{ defaultChat: string }>(resource);
      await peer.subscribe(defaultChat);
      await peer.until(() => peer.chat(defaultChat).activeTurn === undefined, 'its first turn has ended');
      // Agents give a conversation another title when they like, but the prompt stays.
      const prompt = peer.chat(defaultChat).turns[0]?.message.text;
      const worker = workers.find(({ name }) => prompt === `say I am ${name}.`);
      if (worker) sessions.set(worker.name, { session: resource, chat: defaultChat });
    }
    assert.equal(sessions.size, workers.length, [...sessions.keys()].join());
    await window.screenshot('all agents, one turn each');
  });

  it(`work for ${minutes} minutes, and wait for answers from the Inbox alone`, async () => {
    const endsAt = performance.now() + minutes * 60_000;
    const rounds = new Map<string, number>();
    const failures: string[] = [];
    let running = workers.length;
    const memory: number[] = [];
    const hostPid = editor.hostPid() ?? assert.fail('no host');

    async function work({ name, prompt, answer }: Worker): Promise<void> {
      const { chat } = sessions.get(name) ?? assert.fail(name);
      try {
        for (let n = 0; performance.now() < endsAt; n += 1) {
          const turn = await peer.ended(chat, await peer.prompt(chat, prompt(n)));
          rounds.set(name, n + 1);
          const text = turn.responseParts.map((it) => (it.kind === 'markdown' ? it.content : '')).join('');
          if (turn.state !== 'complete' || !answer(n).test(text)) failures.push(`${name} ${n}: ${turn.state} ${text}`);
        }
      } finally {
        running -= 1;
      }
    }
    async function answerFromInbox(): Promise<number> {
      const inbox = await window.tree('Inbox');
      let answers = 0;
      for (;;) {
        const label = await until(
          'an agent asks, or all have ended',
          async () => (running === 0 ? 'ended' : oneOf(await inbox.labels(), answers)),
          120_000,
        );
        if (running === 0) break;
        memory.push(residentMb(hostPid));
        if (await answered(label)) answers += 1;
      }
      return answers;
    }
    /** A row may be gone before it is pressed: then there is nothing to answer. */
    async function answered(label: string): Promise<boolean> {
      const inbox = await window.tree('Inbox');
      const row = inbox.row(label);
      try {
        await window.leaveHover();
        await row.hover({ timeout: 2_000 });
        const button = row.getByRole('button', { name: /^(Allow Once|Answer)/ }).first();
        const isQuestion = /^Answer/.test((await button.getAttribute('aria-label', { timeout: 2_000 })) ?? '');
        await button.click({ timeout: 2_000 });
        if (isQuestion) await window.type('Rome');
        await inbox.waitForNone(label, 5_000);
      } catch {
        return false;
      }
      return true;
    }

    const [answers] = await Promise.all([answerFromInbox(), ...workers.map(work)]);
    await window.screenshot('all agents, at the end');
    assert.deepEqual(failures, []);
    for (const { name, ledger } of workers) {
      const count = rounds.get(name) ?? 0;
      assert.ok(count > 0, `${name} did nothing`);
      if (ledger === undefined) continue;
      const lines = readFileSync(join(editor.workspace, ledger), 'utf8').split('\n').slice(0, -1);
      assert.deepEqual(
        lines,
        Array.from({ length: count }, (_, n) => `${name} ${n}`),
      );
    }
    const early = average(memory.slice(Math.floor(memory.length / 4), Math.floor(memory.length / 2)));
    const late = average(memory.slice(-Math.floor(memory.length / 4)));
    const done = [...rounds].map(([name, count]) => `${name} ${count}`).join(', ');
    print(`all at once: ${minutes} minutes: ${done} turns, ${answers} answers from the Inbox, 0 lost`);
    print(`all at once: host ${early.toFixed(0)} MB in the second quarter, ${late.toFixed(0)} MB in the last`);
    if (minutes >= 5) assert.ok(late / early <= FLAT, `${early} MB, then ${late} MB`);
  }).timeout(minutes * 60_000 + 180_000);

  it('keep all that they did in a window that opens again', async () => {
    const kept = new Map([...sessions].map(([name, { chat }]) => [name, peer.chat(chat).turns.length]));
    await window.reload();
    await window.openContainer('Switchboard');
    const tree = await window.tree('Sessions');
    for (const { name } of workers) {
      const { session, chat } = sessions.get(name) ?? assert.fail(name);
      assert.deepEqual(peer.session(session).inputNeeded ?? [], []);
      // An agent may have given its conversation another title by then. A row cuts a long one, and its accessible name does not.
      await untilSeen(
        `a row of "${peer.session(session).title}" is shown`,
        () => tree.rows(),
        (all) => all.some(({ ariaLabel }) => ariaLabel.startsWith(`${peer.session(session).title}, `)),
      );
      assert.ok((kept.get(name) ?? 0) > 1, `${name}: ${peer.chat(chat).turns.length} turns`);
    }
    await window.screenshot('all agents, opened again');
  });
});

/** In turn, so that nobody waits for ever. */
const oneOf = (labels: readonly string[], n: number) =>
  labels.filter((it) => it !== '').at(n % Math.max(labels.length, 1));
const average = (all: readonly number[]): number => all.reduce((sum, it) => sum + it, 0) / Math.max(all.length, 1);
