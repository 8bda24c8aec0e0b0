import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { after, before, describe, it } from 'mocha';
import { DAY_MS } from '../../../../sidecar/protocol/gateway/duration.ts';
import type { CallContentAnswer } from '../../../../sidecar/protocol/gateway/pages/callContent.ts';
import { speakAll } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { type Answer, bearer, rpcBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { plantedData, plantedSecrets } from '../../../support/guardrails/plantedSecrets.ts';
import { addModel, providerKey, streamed } from '../../../support/models/provider.ts';
import { postgresDatabase } from '../../../support/network/postgres.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const serverCredential = 'credential of the server 0123';
const agentCredential = 'credential-of-the-agent-4567';
const hidden = Object.values({ ...plantedSecrets, ...plantedData });
const planted = {
  note: hidden.join(' | '),
  password: 'planted-hunter2',
  nested: JSON.stringify({ token: 'planted-t' }),
};

const content = { keepDays: 7, maxBytes: 4_096, redactsPersonalData: true };
const chatEvent = (text: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`;

for (const kind of ['sqlite', 'postgres'] as const)
  describe(`requests and responses that are stored in ${kind}`, () => {
    let stand: Stand;
    let key: string;
    let quiet: string;
    let ofTeam: string;
    let leader: string;
    let viewer: string;
    const clock = new StandingClock('2026-03-04T10:00:00.000Z');

    before(async () => {
      const database = kind === 'postgres' ? { database: { kind, url: await postgresDatabase() } as const } : {};
      const guardrail_name = 'no-cards';
      stand = await openStand({
        clock,
        content,
        ...database,
        guardrails: () => [
          {
            guardrail_name,
            gateway_params: {
              ...{ guardrail: 'pii_redaction', mode: 'pre_mcp_call', default_on: true, max_characters: 100_000 },
              ...{ action: 'redact', rules: { credit_card: 'block', email: 'off', phone: 'off', iban: 'off' } },
            },
          } as never,
        ],
      });
      stand.backend.answer = (heard, response) => {
        if (heard.path.startsWith('/openai')) {
          const [half, rest] = [plantedSecrets.api_key.slice(0, 9), plantedSecrets.api_key.slice(9)];
          return streamed([...['You said ', half, rest, '.'].map(chatEvent), 'data: [DONE]\n\n'].join(''))(
            heard,
            response,
          );
        }
        if (heard.path.startsWith('/cloud')) return void response.end(heard.body);
        return speakAll(heard, response);
      };
      const credentials = { auth_value: serverCredential };
      await stand.register({ alias: 'echo', auth_type: 'bearer_token', credentials });
      await stand.registerAgent(
        'weather',
        { extra_headers: [] },
        { static_headers: { 'x-agent-key': agentCredential } },
      );
      await addModel(stand, 'm', 'chat');
      const team = { team_id: 'secretive', no_content_log: true };
      await stand.manage('POST', '/team/new', team);
      const led = { team_id: 'led', members_with_roles: [{ role: 'admin', user_id: 'lea' }] };
      await stand.manage('POST', '/team/new', led);
      const all = { object_permission: { models: ['all-proxy-models'] } };
      key = await stand.addKey({ user_id: 'ann', team_id: 'led', ...all });
      quiet = await stand.addKey({ user_id: 'ann', no_content_log: true });
      ofTeam = await stand.addKey({ team_id: 'secretive' });
      leader = await stand.addKey({ user_id: 'lea' });
      viewer = await stand.addKey({ role: 'proxy_admin_viewer' });
    });
    after(() => stand.close());

    const idOf = ({ headers }: Answer) => headers.get('x-gateway-call-id') ?? '';
    const read = async (id: string, by = key) => {
      const response = await stand.as(by, `/spend/logs/content?request_id=${encodeURIComponent(id)}`);
      return { status: response.status, ...((await response.json()) as CallContentAnswer) };
    };
    /** Of a call whose record was written: its content is written right after it. */
    const stored = async (answer: Answer, by = key) => {
      assert.equal(answer.status, 200, answer.text);
      await stand.recordOf(answer);
      let found = await read(idOf(answer), by);
      await until('the content is stored', async () => (found = await read(idOf(answer), by)).is_stored);
      return found;
    };
    const sorted = (lines: readonly string[]) => lines.toSorted((a, b) => a.localeCompare(b));
    const audited = async () => {
      const lines = await stand.gateway.store.audit.list({ kind: 'call_content', limit: 100 });
      return sorted(lines.map((it) => `${it.action} ${it.object_id}`));
    };
    const everything = async () => {
      const { db } = stand.gateway.store.database;
      const rows = await sql<object>`select * from call_contents`.execute(db);
      const lines = await sql<object>`select * from spend_logs`.execute(db);
      const incoming = await sql<object>`select * from incoming_lines`.execute(db);
      return JSON.stringify([rows.rows, lines.rows, incoming.rows]);
    };

    it('are those of a tool call, as they were judged and as the caller got them', async () => {
      verifies('gateway.content.stored');
      const answer = await stand.ask('/echo/mcp', bearer(key), toolCall('echo', { text: 'hello', n: 1 }));
      const { request, response, ...rest } = await stored(answer);
      assert.deepEqual(JSON.parse(request?.text ?? ''), { name: 'echo', arguments: { text: 'hello', n: 1 } });
      assert.deepEqual(JSON.parse(response?.text ?? ''), (answer.json as { result: object }).result);
      assert.deepEqual([request?.is_cut, response?.is_cut], [false, false]);
      const until = '2026-03-11T10:00:00.000Z';
      assert.deepEqual(rest, {
        status: 200,
        request_id: idOf(answer),
        is_stored: true,
        is_on: true,
        kept_until: until,
      });
    });

    it('have no secret of any kind, credential, or header of any surface', async () => {
      verifies('gateway.content.clean', 'gateway.content.stored');
      const sent = { ...bearer(key), 'x-planted': 'planted-header', cookie: 'planted=cookie' };
      const withoutCard = {
        ...planted,
        note: planted.note.replace(plantedData.credit_card, ''),
        echoed: serverCredential,
      };
      const message = {
        role: 'user',
        messageId: 'm',
        parts: [{ kind: 'text', text: `${planted.note} ${agentCredential}` }],
      };
      const chat = {
        model: 'm',
        stream: true,
        messages: [{ role: 'user', content: `${planted.note} ${providerKey}` }],
      };
      const answers = [
        await stand.ask('/echo/mcp', sent, toolCall('echo', withoutCard)),
        await stand.ask('/mcp-rest/tools/call', sent, { name: 'echo__echo', arguments: withoutCard }),
        await stand.ask('/a2a/weather', sent, rpcBody('message/send', { message })),
        await stand.ask('/v1/chat/completions', sent, chat),
        await stand.ask('/cloudagents/v0/agents', sent, planted),
      ];
      for (const it of answers) {
        const { request, response } = await stored(it);
        assert.ok(request && response, `${idOf(it)}: ${JSON.stringify([request, response])}`);
        assert.match(request.text, /\[redacted:private_key\]/);
      }
      const model = await stored(answers[3]!);
      assert.match(model.response?.text ?? '', /You said .*\[redacted:api_key\]/s);
      const kept = await everything();
      const parts = hidden.map((it) => it.slice(4, -4).split('\n')[0] ?? it);
      for (const it of [...parts, 'planted-', 'planted=', serverCredential, agentCredential, providerKey, key])
        assert.ok(!kept.includes(it), `${it} is in the database`);
      assert.ok(!kept.includes(plantedSecrets.api_key.slice(9)));
    });

    it('have no credential of a server that was not called before', async () => {
      verifies('gateway.content.clean');
      const auth_value = 'credential of a new server 89';
      await stand.register({ alias: 'fresh', auth_type: 'bearer_token', credentials: { auth_value } });
      const answer = await stand.ask('/fresh/mcp', bearer(key), toolCall('echo', { echoed: auth_value }));
      const { request, response } = await stored(answer);
      assert.ok(request && response);
      assert.ok(!`${request.text}${response.text}`.includes(auth_value), request.text);
    });

    it('are not stored of what a guardrail refused', async () => {
      verifies('gateway.content.opted-out');
      const answer = await stand.ask('/echo/mcp', bearer(key), toolCall('echo', { card: plantedData.credit_card }));
      const { request, response } = await stored(answer);
      assert.equal(request, null);
      assert.match(response?.text ?? '', /must not be sent/);
    });

    it('are cut at their limit, and never within a secret', async () => {
      verifies('gateway.content.bounded');
      for (const before of [4_060, 4_090, 4_100, 8_170]) {
        const text = `${'a '.repeat(before / 2)}${plantedSecrets.github_token} ${'b '.repeat(6_000)}`;
        const answer = await stand.ask('/echo/mcp', bearer(key), toolCall('echo', { text }));
        const { request, response } = await stored(answer);
        for (const it of [request, response]) {
          assert.ok(it?.is_cut && it.bytes > 12_000 && Buffer.byteLength(it.text) <= content.maxBytes);
          assert.ok(!it.text.includes('ghp_'), it.text.slice(-100));
          assert.ok(it.text.length > 3_900);
        }
      }
    });

    it('are not stored for keys and teams that are left out', async () => {
      verifies('gateway.content.opted-out');
      const answers = [
        await stand.ask('/echo/mcp', bearer(quiet), toolCall('echo', { text: 'quiet' })),
        await stand.ask('/echo/mcp', bearer(ofTeam), toolCall('echo', { text: 'quiet' })),
      ];
      for (const it of answers) await stand.recordOf(it);
      await stored(await stand.ask('/echo/mcp', bearer(key), toolCall('echo', { text: 'told' })));
      for (const it of answers) assert.equal((await read(idOf(it), stand.adminKey)).is_stored, false);
      assert.ok(!(await everything()).includes('quiet'));
    });

    it('are read by whoever made the call, and by administrators, whom the audit names', async () => {
      verifies('gateway.content.readers');
      const answer = await stand.ask('/echo/mcp', bearer(key), toolCall('echo', { text: 'whose' }));
      await stored(answer);
      await stored(answer, quiet); // another key of the same user
      const before = await audited();
      const id = idOf(answer);
      assert.deepEqual(
        [(await read(id, ofTeam)).status, (await read(id, leader)).status, (await read(id, viewer)).status],
        [404, 404, 403],
      );
      assert.deepEqual(await audited(), before);
      assert.equal((await read(id, stand.adminKey)).is_stored, true);
      assert.deepEqual(await audited(), sorted([...before, `read ${id}`]));
    });

    it('are exported only where somebody asks for them, who may read them', async () => {
      verifies('gateway.content.readers');
      const answer = await stand.ask('/echo/mcp', bearer(key), toolCall('echo', { text: 'exported words' }));
      await stored(answer);
      const exported = async (by: string, more = '') =>
        (await stand.as(by, `/spend/logs/v2?request_id=${idOf(answer)}&format=jsonl${more}`)).text();
      assert.ok(!(await exported(stand.adminKey)).includes('exported words'));
      const before = await audited();
      const line = JSON.parse(await exported(key, '&content=true')) as { request: string };
      assert.match(line.request, /exported words/);
      assert.deepEqual(await audited(), before);
      assert.match(await exported(stand.adminKey, '&content=true'), /exported words/);
      assert.deepEqual(await audited(), sorted([...before, 'read export']));
      for (const [by, query] of [
        [viewer, ''],
        [leader, 'team_id=led&'],
      ] as const)
        assert.equal((await stand.as(by, `/spend/logs/v2?${query}format=jsonl&content=true`)).status, 403);
      assert.equal((await stand.as(key, '/spend/logs/v2?format=csv&content=true')).status, 400);
    });

    it('are deleted after their days, and the record of the call stays', async () => {
      verifies('gateway.content.deleted');
      const answer = await stand.ask('/echo/mcp', bearer(key), toolCall('echo', { text: 'old' }));
      await stored(answer);
      const { callContents } = stand.gateway.store;
      assert.equal(await callContents.forget(clock.nowMs() - 7 * DAY_MS), 0);
      const rows = Array.from({ length: 250 }, (_, at) => ({
        ...{ request_id: `old-${at}`, at_ms: clock.nowMs() - 8 * DAY_MS, request: '{}', response: null },
        ...{ request_bytes: 2, response_bytes: 0, request_cut: 0, response_cut: 0 },
      }));
      for (let at = 0; at < rows.length; at += 50) await callContents.write(rows.slice(at, at + 50));
      assert.equal(await callContents.forget(clock.nowMs() - 7 * DAY_MS), 250);
      assert.equal((await read(idOf(answer))).is_stored, true);
      await callContents.forget(clock.nowMs() + 1);
      assert.equal((await read(idOf(answer))).is_stored, false);
      assert.equal((await stand.recordOf(answer)).status, 'success');
    });
  });
