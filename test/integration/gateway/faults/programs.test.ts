import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type Programs, programs } from '../../../support/mcp/program.ts';

const limit = 20_000;

interface Fault {
  readonly says: string;
  /** See {@link Programs.write}. */
  readonly source: string;
  /** What its caller is told of it; `undefined` where the call is answered all the same. */
  readonly words?: string;
}

const ended = 'exited before it responded';
/** Only what is silent is given up so soon: how long a program takes to start depends on the machine. */
const silentSeconds = 2;
const late = `did not respond within ${silentSeconds} s`;
const noMcp = 'returned a response that is not valid MCP';
const tooMuch = `returned more than ${limit} bytes`;

const faults: readonly Fault[] = [
  { says: 'ends at once', source: 'process.exit(1);', words: ended },
  { says: 'crashes in a call', source: "onCall = () => { throw new Error('secret of its own'); };", words: ended },
  { says: 'is killed in a call', source: "onCall = () => process.kill(process.pid, 'SIGKILL');", words: ended },
  {
    says: 'dies in the middle of its answer',
    source: `onCall = ({ id }) => process.stdout.write('{"jsonrpc":"2.0","id":"' + id, () => process.exit(0));`,
    words: ended,
  },
  {
    says: 'dies between two messages',
    source: `onCall = () => { say({ method: 'notifications/x' }); process.stdout.end(() => process.exit(0)); };`,
    words: ended,
  },
  { says: 'never answers', source: 'onCall = () => undefined;', words: late },
  { says: 'answers what nobody asked', source: "onCall = () => reply({ id: 'other' }, {});", words: late },
  {
    says: 'stops in the middle of its answer',
    source: `onCall = () => process.stdout.write('{"jsonrpc":');`,
    words: late,
  },
  {
    says: 'listens no more',
    source: 'onCall = () => { process.stdin.destroy(); setInterval(() => undefined, 60_000); };',
    words: late,
  },
  {
    says: 'ignores that it is asked to end',
    source: "process.on('SIGTERM', () => undefined); onCall = () => undefined;",
    words: late,
  },
  {
    says: 'floods words that are no messages',
    source: "onCall = () => { for (let n = 0; n < 101; n += 1) console.log('noise'); };",
    words: noMcp,
  },
  {
    says: 'floods bytes that are no text',
    source:
      'onCall = () => { for (let n = 0; n < 101; n += 1) process.stdout.write(Buffer.from([0xff, 0xfe, 0, 0xc3, 0x28, 10])); };',
    words: noMcp,
  },
  {
    says: 'floods one line without an end',
    source: "onCall = function pour() { process.stdout.write('y'.repeat(1_000), pour); };",
    words: tooMuch,
  },
  { says: 'answers with a result that is none', source: 'onCall = (message) => reply(message, 5);', words: late },
  {
    says: 'prints words beside its answer',
    source: "onCall = (message) => { console.log('starting…'); reply(message, { content: [] }); };",
  },
  {
    says: 'floods what it has to say besides',
    source: "onCall = (message) => process.stderr.write('y'.repeat(5_000_000), () => reply(message, { content: [] }));",
  },
  {
    says: 'answers twice',
    source:
      'onCall = (message) => { reply(message, { content: [] }); reply(message, { content: [], isError: true }); };',
  },
];

/** Issue C, done when 3: servers that run as programs, as their callers see it. */
describe('a backend that is a program and fails, as a caller of the whole gateway sees it', () => {
  let stand: Stand;
  let key: string;
  let written: Programs;
  const stdio = { isTrusted: true, allowedCommands: [process.execPath] };
  const outcomes: (readonly [call: string | null, status: string])[] = [];

  before(async () => {
    written = programs();
    stand = await openStand({ stdio, limits: { maxResponseBytes: limit } });
    key = await stand.addKey();
  });
  after(async () => {
    await stand.close();
    written.remove();
  });

  const register = (alias: string, source: string, timeout?: number) => {
    const { command, args } = written.write(source);
    return stand.addServer({ alias, transport: 'stdio', command, args: [...args], ...(timeout && { timeout }) });
  };
  async function call(alias: string, outcome: 'success' | 'failure') {
    const { status, headers, json } = await stand.mcp(`/${alias}/mcp`, key).call('any');
    outcomes.push([headers.get('x-gateway-call-id'), outcome]);
    return { status, result: json.result };
  }
  const failed = (words: string, runs = true) => {
    const text = `Error: ${words} The call ${runs ? 'may have run' : 'was not run'}.`;
    return { status: 200, result: { content: [{ type: 'text', text }], isError: true } };
  };

  for (const [n, { says, source, words }] of faults.entries()) {
    it(`that ${says} gives its exact answer`, async () => {
      const alias = `bad${n}`;
      await register(alias, source, words === late ? silentSeconds : undefined);
      if (words === undefined) {
        assert.deepEqual(await call(alias, 'success'), { status: 200, result: { content: [] } });
        assert.deepEqual(await call(alias, 'success'), { status: 200, result: { content: [] } });
      } else assert.deepEqual(await call(alias, 'failure'), failed(`The MCP server '${alias}' ${words}.`));
    });
  }

  for (const [says, refuse, allow, words] of [
    [
      'whom nobody trusts yet',
      () => (stdio.isTrusted = false),
      () => (stdio.isTrusted = true),
      'cannot be started because this workspace is not trusted. Trust its folder first',
    ],
    [
      'whose command is not allowed yet',
      () => (stdio.allowedCommands = []),
      () => (stdio.allowedCommands = [process.execPath]),
      'has a command that is not allowed. Add it to the allowed commands if you trust it',
    ],
  ] as const) {
    it(`${says} was refused and did not die: it starts with the first call after it is allowed`, async () => {
      const alias = `refused${outcomes.length}`;
      await register(alias, '');
      refuse();
      for (let n = 0; n < 3; n += 1) {
        assert.deepEqual(await call(alias, 'failure'), failed(`The MCP server '${alias}' ${words}.`, false));
      }
      allow();
      assert.deepEqual(await call(alias, 'success'), { status: 200, result: { content: [] } });
    });
  }

  it('that died young is left alone for a moment, and the call is not run', async () => {
    await register('young', 'process.exit(1);');
    assert.deepEqual(await call('young', 'failure'), failed(`The MCP server 'young' ${ended}.`));
    const wait = "The MCP server 'young' exited once. It will restart soon. Try again later.";
    assert.deepEqual(await call('young', 'failure'), failed(wait, false));
  });

  it('that closed its input cannot be called again and is restarted', async () => {
    const closes = 'process.stdin.destroy(); require("node:fs").closeSync(0); setInterval(() => undefined, 60_000);';
    await register('deaf', `onCall = (message) => { ${closes} setImmediate(reply, message, { content: [] }); };`);
    assert.deepEqual(await call('deaf', 'success'), { status: 200, result: { content: [] } });
    assert.deepEqual(await call('deaf', 'failure'), failed(`The MCP server 'deaf' ${ended}.`));
    const wait = "The MCP server 'deaf' exited once. It will restart soon. Try again later.";
    assert.deepEqual(await call('deaf', 'failure'), failed(wait, false));
  });

  it('left exactly one record of each call, with its status', async () => {
    const records = await stand.records(outcomes.length);
    const byId = (a: readonly (string | null)[], b: readonly (string | null)[]) =>
      String(a[0]).localeCompare(String(b[0]));
    assert.deepEqual(records.map((it) => [it.request_id, it.status] as const).toSorted(byId), outcomes.toSorted(byId));
    assert.ok(!stand.logLines.join('').includes('secret of its own'), 'what a program prints is in our log');
  });
});
