import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { FileSink, type FileSinkOptions } from '../../../../../../sidecar/gateway/activity/logs/fileSink.ts';
import { StandingClock } from '../../../../../support/gateway/clock.ts';
import { until } from '../../../../../support/until.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('the log file of a gateway', () => {
  let folder: string;
  let path: string;
  let clock: StandingClock;
  let told: string[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-logs-'));
    path = join(folder, 'gateway.log');
    clock = new StandingClock('2026-03-01T10:00:00.000Z');
    told = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (options: Partial<FileSinkOptions> = {}) =>
    FileSink.open({ path, maxBytes: 1_000, isDaily: true, keep: 3, gzip: false, ...options }, clock, {
      failed: (sink) => told.push(`${sink} failed`),
      recovered: (sink, dropped) => told.push(`${sink} recovered, ${dropped} dropped`),
    });
  const lineOf = (n: number) => `${JSON.stringify({ n, text: 'x'.repeat(80) })}\n`;
  const numbers = (text: string) =>
    text.split('\n').flatMap((it) => (it === '' ? [] : [(JSON.parse(it) as { n: number }).n]));
  const earlier = () => readdirSync(folder).filter((it) => it !== 'gateway.log');
  const textOf = (name: string) => {
    const bytes = readFileSync(join(folder, name));
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  };

  it('is begun anew before it exceeds its size, and no line is lost or parted', async () => {
    verifies('gateway.logs.rotation');
    const sink = await open({ keep: 100 });
    for (let n = 0; n < 50; n += 1) sink.write(lineOf(n));
    await sink.close();
    const files = [...earlier(), 'gateway.log'];
    assert.ok(files.length > 4, files.join(' '));
    for (const it of files) assert.ok(textOf(it).length <= 1_000, it);
    const written = files.toSorted((a, b) => (a === 'gateway.log' ? 1 : b === 'gateway.log' ? -1 : a < b ? -1 : 1));
    assert.deepEqual(
      written.flatMap((it) => numbers(textOf(it))),
      Array.from({ length: 50 }, (_, n) => n),
    );
  });

  it('takes a line that is longer than a file may be', async () => {
    verifies('gateway.logs.rotation');
    const sink = await open({ maxBytes: 50 });
    sink.write(lineOf(1));
    sink.write(lineOf(2));
    await sink.close();
    assert.deepEqual([numbers(textOf('gateway.log')), earlier().length, sink.dropped], [[2], 1, 0]);
  });

  it('is begun anew with each day, and only so many earlier ones stay', async () => {
    verifies('gateway.logs.rotation');
    const sink = await open({ keep: 2 });
    for (let day = 1; day <= 5; day += 1) {
      sink.write(lineOf(day));
      await until('the line is written', () => textOf('gateway.log').includes(`"n":${day}`));
      clock.pass(86_400_000);
    }
    await sink.close();
    assert.deepEqual(
      earlier().map((it) => [it, numbers(textOf(it))]),
      [
        ['gateway.log.2026-03-04T10-00-00.000Z', [3]],
        ['gateway.log.2026-03-05T10-00-00.000Z', [4]],
      ],
    );
    assert.deepEqual(numbers(textOf('gateway.log')), [5]);
  });

  it('is begun anew with the next day if its last line was being written as the day ended', async () => {
    verifies('gateway.logs.rotation');
    const sink = await open();
    sink.write(lineOf(1));
    clock.pass(86_400_000);
    await until('the line is written', () => textOf('gateway.log').includes('"n":1'));
    sink.write(lineOf(2));
    await sink.close();
    assert.deepEqual([earlier().map((it) => numbers(textOf(it))), numbers(textOf('gateway.log'))], [[[1]], [2]]);
  });

  it('leaves earlier ones compressed where that is wanted, and deletes those that are too old', async () => {
    verifies('gateway.logs.rotation');
    const old = 'gateway.log.2026-02-01T10-00-00.000Z.gz';
    const recent = 'gateway.log.2026-02-27T10-00-00.000Z';
    for (const it of [old, recent, 'gateway.log.mine']) writeFileSync(join(folder, it), lineOf(7));
    const sink = await open({ keep: 100, keepDays: 10, gzip: true });
    for (let n = 0; n < 40; n += 1) sink.write(lineOf(n));
    await sink.close();
    const left = earlier();
    assert.ok(!left.includes(old) && left.includes('gateway.log.mine'), left.join(' '));
    const closed = left.filter((it) => it !== 'gateway.log.mine');
    assert.ok(closed.length > 2 && closed.every((it) => it.endsWith('.gz')), left.join(' '));
    assert.deepEqual(numbers(textOf(`${recent}.gz`)), [7]);
    assert.equal(closed.flatMap((it) => numbers(textOf(it))).length + numbers(textOf('gateway.log')).length, 41);
  });

  it('goes on where it was, behind a line that a crash cut', async () => {
    verifies('gateway.logs.rotation');
    writeFileSync(path, '{"n":1}\n{"n":2');
    const sink = await open({ isDaily: false });
    sink.write('{"n":3}\n');
    await sink.close();
    assert.equal(readFileSync(path, 'utf8'), '{"n":1}\n{"n":2\n{"n":3}\n');
  });

  it('on a full disk costs its lines, which are counted, and is written again when there is room', async () => {
    verifies('gateway.logs.dropped');
    symlinkSync('/dev/full', path);
    const sink = await open({ isDaily: false });
    sink.write(lineOf(1));
    await until('the line is lost', () => sink.dropped === 1);
    sink.write(lineOf(2));
    await until('the next one, too', () => sink.dropped === 2);
    assert.deepEqual(told, ['file failed']);
    rmSync(path);
    sink.write(lineOf(3));
    await sink.close();
    assert.deepEqual(numbers(textOf('gateway.log')), [3]);
    assert.deepEqual(told, ['file failed', 'file recovered, 2 dropped']);
  });

  it('is refused where it cannot be written', async () => {
    verifies('gateway.logs.dropped');
    path = join(folder, 'none', 'gateway.log');
    await assert.rejects(open(), { code: 'invalid_params', message: /logs\.file\.path cannot be written/ });
  });

  it('gets what waits when the process ends at once', async () => {
    verifies('gateway.logs.rotation');
    const sink = await open();
    sink.write(lineOf(1)); // being written
    sink.write(lineOf(2));
    sink.writeNow();
    assert.ok(numbers(textOf('gateway.log')).includes(2));
    await sink.close();
    assert.deepEqual(
      numbers(textOf('gateway.log')).toSorted((a, b) => a - b),
      [1, 2],
    );
  });
});
