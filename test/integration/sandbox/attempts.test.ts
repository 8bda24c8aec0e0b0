import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { type Children, openChildren } from '../../../sidecar/platform/children/children.ts';
import { confinedChildren } from '../../../sidecar/platform/sandbox/confinedChildren.ts';
import { Sandboxes } from '../../../sidecar/platform/sandbox/sandboxes.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import { attempts } from '../../support/sandbox/attempts.ts';
import { holds, type Outside, openOutside, run } from '../../support/sandbox/outside.ts';
import { pathWithSandbox } from '../../support/sandbox/programs.ts';
import { say } from '../../support/say.ts';
import { verifies } from '../../support/verifies.ts';

/** Names of the variables for a program in the sandbox. */
const meant = ['NODE', 'WORK', 'OUT', 'DATA', 'OTHER*', 'MARK', 'SOCKET', 'VICTIM', 'UDP_PORT', 'ADDRESS'];

describe('the sandbox of a session', () => {
  let outside: Outside;
  let children: Children;
  let sandboxes: Sandboxes;
  let path: string;
  /** The reason why no sandbox can start on this machine. */
  let refusal: string | undefined;
  let confined = 0;
  const asked: string[] = [];

  before(async () => {
    outside = await openOutside();
    path = await pathWithSandbox();
    children = openChildren(join(outside.dataDir, 'children.json'), () => '2026-01-01T00:00:00Z');
    sandboxes = open(children);
    refusal = await sandboxes.start('one', { ...outside.env, PATH: path }).then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
  });
  after(async () => {
    await sandboxes.closeAll();
    await children.stopAll();
    await outside.close();
    const what = refusal === undefined ? `${confined} of ${attempts.length} confined` : `refusal proved: ${refusal}`;
    say(`sandbox: ${what}`);
  });

  const open = (
    own: Children,
    folders: Readonly<Record<string, string>> = {},
    allowed: Readonly<Record<string, string>> = {},
  ) =>
    new Sandboxes({
      children: own,
      timers: systemTimers,
      dataDir: outside.dataDir,
      home: outside.home,
      folders: async (session) => [folders[session] ?? outside.work],
      agentStates: [join(outside.home, '.otheragent')],
      connects: async (session, host, port) => {
        asked.push(`${session} ${host}:${port}`);
        return { allow: host === allowed[session] };
      },
    });

  for (const { what, script, proof } of attempts) {
    it(`stops a program that ${what}`, async () => {
      verifies('host.sandbox.confined');
      const isOut = ({ code }: { code: number | null }) => (proof === undefined ? code === 0 : holds(proof, outside));
      const request = {
        command: '/bin/sh',
        args: ['-c', script],
        env: { ...outside.env, PATH: path },
        needs: { variables: meant },
      };
      outside.renew();
      // Without namespaces of users, some attempts fail outside a sandbox too.
      if (refusal !== undefined) return assert.rejects(sandboxes.confine('one', request), { message: refusal });
      const free = await run('/bin/sh', ['-c', script], outside, outside.env);
      assert.equal(isOut(free), true, `outside a sandbox it must succeed: ${free.output}`);
      outside.renew();
      const inner = await sandboxes.confine('one', request);
      const held = await run(inner.command, inner.args, outside, inner.env);
      assert.equal(isOut(held), false, `it got out: ${held.output}`);
      confined += 1;
    });
  }

  it('lets a program write in its folder and in its temporary folder, and use the ports that it was given', async () => {
    verifies('host.sandbox.works');
    outside.renew();
    const port = Number(outside.env['OTHER_PORT']);
    const script = `echo x > kept && echo x > "$TMPDIR/x" && "$NODE" -e 'fetch("http://127.0.0.1:${port}/").then((it) => it.text()).then(console.log)'`;
    const request = { command: '/bin/sh', args: ['-c', script], env: { ...outside.env, PATH: path } };
    const confine = sandboxes.confine('one', { ...request, needs: { variables: meant, ports: [port] } });
    if (refusal !== undefined) return assert.rejects(confine, { message: refusal });
    const inner = await confine;
    const { code, output } = await run(inner.command, inner.args, outside, inner.env);
    assert.deepEqual([code, output.trim()], [0, 'outside']);
    assert.equal(holds('-e "$WORK/kept"', outside), true);
    // The session keeps the port. Later tests must not be able to reach it.
    await sandboxes.close('one');
  });

  it('starts with no program from a folder in which the session can write', async () => {
    verifies('host.sandbox.confined');
    outside.renew();
    const bin = join(outside.work, 'bin');
    mkdirSync(bin);
    for (const it of ['bash', 'bwrap', 'socat', 'sh', 'grep', 'sleep']) {
      writeFileSync(join(bin, it), `#!/bin/sh\n: > "${outside.dataDir}/planted"\nexit 1\n`);
      chmodSync(join(bin, it), 0o755);
    }
    const program = 'case "$PATH" in "$WORK/bin":*) echo x > kept ;; esac';
    const env = { ...outside.env, PATH: `${bin}:${path}` };
    const fresh = open(children);
    try {
      const inside = confinedChildren(children, fresh);
      const confined = { variables: meant };
      const request = { command: '/bin/sh', args: ['-c', program], cwd: outside.work, env, confined } as const;
      const starting = inside.spawn({ ...request, role: 'tool', title: 'Test', session: 'planted' });
      if (refusal !== undefined) {
        await assert.rejects(starting, { message: refusal });
        return;
      }
      const child = await starting;
      await child.exited;
      assert.equal(holds('-e "$DATA/planted"', outside), false, 'a planted program ran outside the sandbox');
      assert.equal(holds('-e "$WORK/kept"', outside), true, `the program has its own PATH: ${child.stderrTail()}`);
    } finally {
      await fresh.closeAll();
    }
  });

  it('lets each of two sessions connect only to its own hosts', async () => {
    verifies('host.sandbox.hosts');
    outside.renew();
    const reached: string[] = [];
    const proxy: Server = createServer().listen(0, '127.0.0.1');
    proxy.on('connect', (request, socket) => {
      reached.push(String(request.url));
      socket.on('error', () => undefined); // the sandbox ends with its session
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 7\r\nconnection: close\r\n\r\nreached'));
    });
    await new Promise((resolve) => void proxy.once('listening', resolve));
    const { port } = proxy.address() as AddressInfo;
    const folders = { a: join(outside.work, 'a'), b: join(outside.work, 'b') };
    for (const it of Object.values(folders)) mkdirSync(it);
    const both = open(children, folders, { a: 'a.test', b: 'b.test' });
    try {
      const get = async (session: string) => {
        const script = `for it in a b; do "$NODE" -e 'fetch("http://'$it'.test/").then(async (it) => console.log("'$it'", it.status, await it.text()), () => console.log("'$it' refused"))'; done`;
        const env = { ...outside.env, PATH: path, HTTP_PROXY: `http://127.0.0.1:${port}` };
        const inner = await both.confine(session, {
          command: '/bin/sh',
          args: ['-c', script],
          env,
          needs: { variables: meant },
        });
        return (await run(inner.command, inner.args, outside, inner.env)).output;
      };
      if (refusal !== undefined) {
        for (const it of ['a', 'b']) await assert.rejects(get(it), { message: refusal });
        return assert.deepEqual(reached, []);
      }
      const [a, b] = await Promise.all([get('a'), get('b')]);
      assert.equal(a, 'a 200 reached\nb refused\n');
      assert.equal(b, 'a refused\nb 200 reached\n');
      assert.deepEqual(reached.sort(), ['a.test:80', 'b.test:80']);
      assert.deepEqual(asked.filter((it) => it.includes('.test')).sort(), [
        'a a.test:80',
        'a b.test:80',
        'b a.test:80',
        'b b.test:80',
      ]);
    } finally {
      await both.closeAll();
      proxy.close();
    }
  });

  it('is refused if its programs are missing, and nothing runs instead', async () => {
    verifies('host.sandbox.never-off');
    const without = open(children);
    const started: string[] = [];
    const watching: Children = {
      ...children,
      spawn: (request) => {
        started.push(request.title);
        return children.spawn(request);
      },
    };
    const request = {
      command: '/bin/sh',
      args: ['-c', 'echo x > ran'],
      env: { PATH: outside.dataDir },
      role: 'tool',
      title: 'Test',
      session: 'c',
    } as const;
    await assert.rejects(confinedChildren(watching, without).spawn(request), {
      code: 'unavailable',
      message: /bwrap, socat/,
    });
    assert.deepEqual(started, []);
    assert.equal(holds('-e "$WORK/ran"', outside), false);
  });
});
