import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  ClientTokens,
  clientTokensFile,
  createClientToken,
  credentialOf,
  hashOf,
  readClientTokens,
  revokeClientToken,
  SHARED,
} from '../../../../../sidecar/launch/serve/clientTokens.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';

describe('the tokens of clients', () => {
  let folder: string;
  let path: string;
  const clock = new StandingClock('2026-01-01T00:00:00Z');
  const runtime = { clock, newId: randomUUID, random: randomBytes };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-client-tokens-'));
    path = clientTokensFile(join(folder, 'data'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const shared = hashOf('the shared one').toString('hex');
  const whose = (token: string) => credentialOf(token, shared, readClientTokens(path));

  it('are each known by their hash alone, until they are revoked by name or id', () => {
    const [one, two] = ['one', 'two'].map((it) => createClientToken(path, it, runtime));
    const ids = readClientTokens(path).map((it) => it.id);
    assert.deepEqual(
      [whose(one!), whose(two!), whose('the shared one'), whose('another')],
      [...ids, SHARED, undefined],
    );
    const text = readFileSync(path, 'utf8');
    for (const it of [one, two]) assert.equal(text.includes(it!), false);
    revokeClientToken(path, 'one', runtime);
    assert.deepEqual([whose(one!), whose(two!)], [undefined, ids[1]]);
    revokeClientToken(path, ids[1]!, runtime);
    assert.deepEqual(readClientTokens(path), []);
  });
  it('are in a file of their owner, with nothing left beside it', () => {
    createClientToken(path, 'one', runtime);
    assert.deepEqual(readdirSync(dirname(path)), ['serve-tokens.json']);
    if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600);
  });
  it('have one name each, and what is not there cannot be revoked', () => {
    createClientToken(path, 'one', runtime);
    assert.throws(() => createClientToken(path, 'one', runtime), /"one" already exists/);
    assert.throws(() => revokeClientToken(path, 'two', runtime), /No token has the name or ID "two"/);
    assert.equal(readClientTokens(path).length, 1);
  });
  it('are no more than a thousand', () => {
    const token = (n: number) => ({ id: `i${n}`, name: `n${n}`, hash: 'a'.repeat(64), createdAt: 'x' });
    createClientToken(path, 'first', runtime);
    writeFileSync(path, JSON.stringify({ tokens: Array.from({ length: 999 }, (_, n) => token(n)) }));
    createClientToken(path, 'last', runtime);
    assert.throws(() => createClientToken(path, 'more', runtime), /already 1000 tokens/);
  });
  it('let nobody in while their file is damaged, and are read anew when it changes', () => {
    const tokens = new ClientTokens(path);
    assert.deepEqual(tokens.current(), []);
    createClientToken(path, 'one', runtime);
    const first = tokens.current();
    assert.deepEqual(
      first.map((it) => it.name),
      ['one'],
    );
    assert.equal(tokens.current(), first);
    const good = readFileSync(path);
    writeFileSync(path, '{"tokens":');
    assert.deepEqual(tokens.current(), []);
    assert.throws(() => readClientTokens(path), /cannot be used: it is damaged/);
    writeFileSync(path, good);
    assert.equal(tokens.current().length, 1);
    rmSync(path);
    assert.deepEqual(tokens.current(), []);
  });
});
