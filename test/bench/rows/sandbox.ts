import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isSandboxed, SANDBOX } from '../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import type { HostPeer } from '../../support/host/hostPeer.ts';
import { openHostPlace, testWindow } from '../../support/host/hostPlace.ts';
import { pathWithSandbox } from '../../support/sandbox/programs.ts';
import { type Row, ratioRow } from '../measure.ts';

const PAIRS = 3;
/** The work has to take so long outside: shorter, the row would measure the start of the sandbox. */
const LEAST_MS = 10_000;

/** What a build and its tests do: many programs, many small files, and a processor that is busy. */
const WORK = `
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const hash = (text) => createHash('sha512').update(text).digest('hex');
for (let round = 0; round < 40; round += 1) {
  mkdirSync('made', { recursive: true });
  for (let n = 0; n < 500; n += 1) writeFileSync('made/' + n, hash(round + ' ' + n).repeat(20));
  for (let n = 0; n < 500; n += 1) hash(readFileSync('made/' + n));
  for (let n = 0; n < 3; n += 1) execFileSync(process.execPath, ['-e', 'let x = 0; for (let n = 0; n < 3e7; n += 1) x += n % 7']);
  rmSync('made', { recursive: true });
}
`;

/** A turn that runs a program in a sandbox, from its prompt to its end, against the same one without. */
export async function sandbox(): Promise<readonly Row[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-bench-sandbox-')));
  const folder = join(root, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'work.cjs'), WORK);
  writeFileSync(join(folder, 'go'), `#!/bin/sh\nexec "${process.execPath}" work.cjs\n`, { mode: 0o755 });
  const place = await openHostPlace(undefined);
  try {
    const peer = await place.connect('bench', {
      ...testWindow,
      rules: [{ id: 's', effect: 'allow', target: 'shell', pattern: '*', source: 'user' }],
      env: { PATH: await pathWithSandbox(), HOME: root },
    });
    const [ours, baseline]: [number[], number[]] = [[], []];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      ours.push(await turnMs(peer, folder, 'on'));
      baseline.push(await turnMs(peer, folder, 'off'));
    }
    const least = Math.min(...baseline);
    if (least < LEAST_MS) throw new Error(`the work took ${least} ms; it has to take ${LEAST_MS}`);
    return [ratioRow('turn that runs a program in a sandbox, against one without', { ours, baseline }, 1.1)];
  } finally {
    await place.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function turnMs(peer: HostPeer, folder: string, choice: 'on' | 'off'): Promise<number> {
  const { session, chat } = await peer.newSession({
    provider: 'runbook',
    workingDirectories: [pathToFileURL(folder).href],
    config: { [SANDBOX]: choice },
  });
  const started = performance.now();
  const { state } = await peer.ended(chat, await peer.prompt(chat, '```sh\n./go\n```'));
  const tookMs = performance.now() - started;
  if (state !== 'complete') throw new Error(`the turn is ${state}`);
  if (isSandboxed(peer.session(session).config?.values) !== (choice === 'on'))
    throw new Error('no sandbox can start here');
  return tookMs;
}
