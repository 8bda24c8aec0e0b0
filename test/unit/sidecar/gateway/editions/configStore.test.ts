import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Configured, openConfigured } from '../../../../../sidecar/gateway/editions/configStore.ts';
import type { GatewayStore } from '../../../../../sidecar/gateway/storage/store.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { type StorePlace, sqlitePlace } from '../../../../support/gateway/stores.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { outcomeOf } from '../../../../support/outcomeOf.ts';
import { keepingLog } from '../../../../support/testLog.ts';
import { until } from '../../../../support/until.ts';

const RETRY_MS = 5_000;
const server = (url = 'https://a.example.com') => ({ mcp_servers: { a: { url } } });
const pii = (guardrail_name: string) => ({
  guardrail_name,
  gateway_params: { guardrail: 'pii_redaction', mode: 'pre_mcp_call', default_on: true },
});

describe('the configuration file of a running gateway', () => {
  const standing = new StandingClock('2026-03-04T10:00:00.000Z');
  const clock = {
    now: () => standing.now(),
    nowMs: () => standing.nowMs(),
    monotonicMs: () => standing.monotonicMs(),
  };
  let folder: string;
  let file: string;
  let place: StorePlace;
  let store: GatewayStore;
  let lines: string[];
  let configured: Configured;
  let due: { work: () => void; delayMs: number }[];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-config-store-'));
    file = join(folder, 'switchboard.jsonc');
    place = await sqlitePlace();
    store = await place.open(clock);
    due = [];
  });
  afterEach(async () => {
    await configured.close();
    await store.close();
    place.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const write = (config: object) => writeFileSync(file, JSON.stringify(config));
  const open = async (config?: object, isOptional = false) => {
    if (config) write(config);
    const kept = keepingLog();
    ({ lines } = kept);
    const after = (delayMs: number, work: () => void) => {
      const timer = { work, delayMs };
      due.push(timer);
      return () => void (due = due.filter((it) => it !== timer));
    };
    const runtime = { clock, newId: randomUUID, log: kept.log, timers: { ...stillTimers, after } };
    configured = await openConfigured({ file, isOptional, env: {}, runtime });
    return configured;
  };
  const logged = (words: string) => lines.filter((it) => it.includes(words)).length;
  const urls = async () => (await store.mcp_server.all()).map((it) => it.url);
  const guardrails = () => configured.guardrails().map((it) => it.guardrail_name);

  it('is there with its guardrails and programs before anything is served, and its records once it is applied', async () => {
    const command = { transport: 'stdio', command: 'node' };
    await open({ mcp_servers: { a: command }, stdio: { allowed_commands: ['npx'] }, guardrails: [pii('p')] });
    assert.deepEqual([guardrails(), configured.programs(), configured.folder], [['p'], ['npx', 'node'], folder]);
    assert.deepEqual(await urls(), []);
    await configured.apply(store);
    assert.equal((await store.mcp_server.all()).length, 1);
  });
  it('is followed: what is newer is used from then on', async () => {
    await open({ ...server(), guardrails: [pii('p')] });
    await configured.apply(store);
    const [before] = configured.guardrails();
    write({ ...server('https://b.example.com'), guardrails: [pii('p'), pii('q')] });
    await configured.reload();
    assert.deepEqual([guardrails(), await urls()], [['p', 'q'], ['https://b.example.com']]);
    assert.equal(configured.guardrails()[0], before);
    assert.equal(logged('The configuration was reloaded.'), 1);
  });
  for (const [says, config] of [
    ['has a mistake of its own', { ...server('https://b.example.com'), guardrails: [pii('q')], strange: 1 }],
    [
      'names what is not there',
      {
        ...server('https://b.example.com'),
        guardrails: [pii('q')],
        agents: { r: { agent_card_params: {}, gateway_params: { api_key: { env: 'NONE' } } } },
      },
    ],
  ] as const)
    it(`changes nothing where it ${says}, and the log says what is wrong`, async () => {
      await open({ ...server(), guardrails: [pii('p')] });
      await configured.apply(store);
      write(config);
      await configured.reload();
      assert.deepEqual([guardrails(), await urls()], [['p'], ['https://a.example.com']]);
      await until('the log says it', () => lines.length === 2);
      assert.equal(logged('The previous one remains in use.'), 1);
    });
  it('is tried again soon where the database is away, and once', async () => {
    await open(server());
    await configured.apply(store);
    const { all } = store.mcp_server;
    store.mcp_server.all = () => Promise.reject(new Fault('unavailable', 'the database is away'));
    write(server('https://b.example.com'));
    for (let n = 0; n < 2; n += 1) await configured.reload();
    const retries = () => due.filter((it) => it.delayMs === RETRY_MS);
    assert.deepEqual([retries().length, logged('will retry soon')], [1, 2]);
    store.mcp_server.all = all;
    retries()[0]?.work();
    await configured.reload();
    assert.deepEqual([await urls(), retries().length], [['https://b.example.com'], 0]);
  });
  for (const [says, config, members] of [
    ['a budget', { budgets: { b: { max_budget: 1 } } }, undefined],
    ['the separator', { separator: '--' }, '"members":["separator"]'],
    ['the access', { default_access: 'all' }, '"members":["default_access"]'],
  ] as const)
    it(`asks for a restart ${members === undefined ? 'not ' : ''}where ${says} changed`, async () => {
      await open({});
      await configured.apply(store);
      write(config);
      await configured.reload();
      assert.equal(logged('require a restart'), members === undefined ? 0 : 1);
      if (members !== undefined) assert.equal(logged(members), 1);
    });
  it('may be absent where it is optional, and is followed when it comes', async () => {
    await open(undefined, true);
    await configured.apply(store);
    write(server());
    await configured.reload();
    assert.deepEqual(await urls(), ['https://a.example.com']);
  });
  it('refuses to begin with its mistakes, each with its place', async () => {
    await open({});
    write({ strange: 1, separator: '' });
    const { log } = keepingLog();
    const runtime = { clock, newId: randomUUID, log, timers: stillTimers };
    const words = await outcomeOf(openConfigured({ file, env: {}, runtime }));
    assert.match(words, /^invalid_params /);
    assert.match(words, /:1:\d+.*'strange' is unknown/);
    assert.equal(words.split('\n').length, 2);
  });
});
