import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { BackendFailure } from '../../../../sidecar/gateway/backends/mcp/failure.ts';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import { lossy, openLog } from '../../../../sidecar/platform/logger.ts';
import { verifies } from '../../../support/verifies.ts';

describe('the log', () => {
  const lines: string[] = [];
  const log = openLog({ destination: { write: (line) => void lines.push(line) } });
  const last = () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;

  it('hides members that are named like a secret', () => {
    log.info(
      { params: { token: 'canary-1', list: [{ apiKey: 'canary-2' }], env: { PATH: 'canary-3' }, kept: 1 } },
      'x',
    );
    assert.deepEqual(last()['params'], { token: '[hidden]', list: [{ apiKey: '[hidden]' }], env: '[hidden]', kept: 1 });
  });
  it('hides what looks like a secret, in messages, errors and their causes', () => {
    log.error(
      { thrown: new Error('Bearer abcdefgh.ijkl', { cause: new Error('http://me:pass@host/') }) },
      'sk-abcdefghijklmnop failed',
    );
    assert.doesNotMatch(lines.at(-1) ?? '', /abcdefgh|me:pass/);
    assert.equal(last()['msg'], '[hidden] failed');
  });
  it('writes what was raised on purpose, or comes from a socket, in one line without a stack, and a bug with it', () => {
    verifies('gateway.log.no-stacks');
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    for (const thrown of [
      new Fault('forbidden', 'That is not allowed.', { cause: refused }),
      new BackendFailure('unreachable', 'It could not be reached.', { mayHaveRun: false, cause: refused }),
      refused,
    ]) {
      log.warn({ thrown }, 'x');
      assert.doesNotMatch(lines.at(-1) ?? '', /stack|\n {4}at |\.ts:\d+/);
      assert.match(lines.at(-1) ?? '', /ECONNREFUSED/);
    }
    log.error({ thrown: new TypeError('a bug') }, 'x');
    assert.match(lines.at(-1) ?? '', /"stack":"TypeError: a bug\\n +at /);
  });
  it('hides a secret that it was told, wherever it occurs', () => {
    log.hide('canary-of-mine');
    log.report('id-1', new Error('refused: canary-of-mine'));
    assert.doesNotMatch(lines.at(-1) ?? '', /canary-of-mine/);
    assert.equal(last()['id'], 'id-1');
  });
  it('writes a circle without falling over it', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    log.warn({ circle }, 'round');
    assert.equal(last()['msg'], 'round');
  });
  it('loses lines that cannot be written, lives on, and says how many', () => {
    let isFull = true;
    const written: string[] = [];
    const full = openLog({
      destination: lossy((line) => {
        if (isFull) throw new Error('ENOSPC');
        written.push(line);
      }),
    });
    full.info({}, 'one');
    full.info({}, 'two');
    isFull = false;
    full.info({}, 'three');
    full.info({}, 'four');
    assert.deepEqual(
      written.map((it) => (JSON.parse(it) as { msg: string }).msg),
      ['2 log lines could not be written', 'three', 'four'],
    );
  });
  it('skips lines below its level', () => {
    const before = lines.length;
    log.debug({}, 'small talk');
    assert.equal(lines.length, before);
  });
});
