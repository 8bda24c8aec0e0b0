import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { modelDialects } from '../../../../sidecar/protocol/gateway/modelProviders/definition.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { addModel, answered } from '../../../support/models/provider.ts';
import { streams } from '../../../support/models/streams.ts';
import { verifies } from '../../../support/verifies.ts';

/** Bodies in which some readers find the model that the caller can use, and others a different one. */
const attacks: readonly (readonly [says: string, body: string])[] = [
  ['a model twice', '{"model":"other","model":"@"}'],
  ['a model twice, once with an escape', '{"\\u006dodel":"other","model":"@"}'],
  ['a second model in capitals', '{"model":"@","Model":"other"}'],
  ['a first model in capitals', '{"MODEL":"other","model":"@"}'],
  ['a model with a zero-width space', '{"model":"@","mo\\u200bdel":"other"}'],
  ['a model that ends at a NUL', '{"model":"@","model\\u0000":"other"}'],
  ['a model in a member whose name continues after a NUL', '{"model":"@","model\\u0000x":"other"}'],
  ['streaming twice', '{"model":"@","stream":false,"stream":true}'],
  ['streaming with a long s', '{"model":"@","stream":false,"\\u017ftream":true}'],
  ['tools in capitals', '{"model":"@","tools":[],"TOOLS":[{}]}'],
  ['bytes that are not UTF-8', '{"model":"@","x":"\xff"}'],
  ['a byte order mark', '\ufeff{"model":"@"}'],
  ['a comment', '{"model":"@"/*,"model":"other"*/}'],
  ['single quotes', '{\'model\':\'other\',"model":"@"}'],
  ['a trailing comma', '{"model":"@",}'],
  ['a second object', '{"model":"@"}{"model":"other"}'],
  ['a list', '[{"model":"@"}]'],
  ['too many levels', `{"model":"@","x":${'['.repeat(300)}${']'.repeat(300)}}`],
];
const ofDialect: Readonly<Record<string, readonly (readonly [says: string, body: string])[]>> = {
  chat: [
    ['two spellings of the maximum', '{"model":"@","max_tokens":1,"maxTokens":9999}'],
    ['stream options twice', '{"model":"@","stream":true,"stream_options":{},"streamOptions":{}}'],
    [
      'usage in two spellings',
      '{"model":"@","stream":true,"stream_options":{"include_usage":true,"includeUsage":false}}',
    ],
    ['usage twice', '{"model":"@","stream":true,"stream_options":{"include_usage":true,"include_usage":false}}'],
  ],
  responses: [['two spellings of the maximum', '{"model":"@","max_output_tokens":1,"maxOutputTokens":9999}']],
  messages: [['two spellings of the maximum', '{"model":"@","max_tokens":1,"MaxTokens":9999}']],
  gemini: [
    ['a model', '{"model":"models/other","contents":[]}'],
    ['a nested request', '{"generateContentRequest":{"model":"models/other"}}'],
    ['two configurations', '{"generationConfig":{},"generation_config":{"maxOutputTokens":9999}}'],
    ['two maxima', '{"generationConfig":{"maxOutputTokens":1,"max_output_tokens":9999}}'],
  ],
};

describe('a model call that readers interpret differently (CVE-2026-27896, GHSA-q382-vc8q-7jhj, GHSA-4gph-2hhr-5mwg)', () => {
  verifies('security.CVE-2026-27896', 'security.GHSA-q382-vc8q-7jhj', 'security.GHSA-4gph-2hhr-5mwg');
  let stand: Stand;
  let key: string;
  before(async () => {
    stand = await openStand({ defaultAccess: 'none' });
    for (const dialect of modelDialects) await addModel(stand, `m-${dialect}`, dialect);
    await addModel(stand, 'other', 'chat');
    key = await stand.addKey({ object_permission: { models: modelDialects.map((it) => `m-${it}`) } });
    stand.backend.answer = answered({});
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  const send = (dialect: (typeof modelDialects)[number], body: string) =>
    fetch(`${stand.base}${streams[dialect].path.replace('{model}', `m-${dialect}`)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body.includes('\xff')
        ? Buffer.from(body.replaceAll('@', `m-${dialect}`), 'latin1')
        : body.replaceAll('@', `m-${dialect}`),
    });
  for (const dialect of modelDialects)
    for (const [says, body] of [...attacks, ...(ofDialect[dialect] ?? [])])
      it(`is not sent to a provider as ${dialect} with ${says}`, async () => {
        const answer = await send(dialect, body);
        const text = await answer.text();
        assert.equal(answer.status, 400, text);
        assert.deepEqual(stand.backend.heard, []);
        const { error } = JSON.parse(text) as { error: { message: string } };
        assert.ok(error.message.length > 0);
      });

  it('is refused with an explanation if its key is in the URL', async () => {
    for (const name of ['key', 'api_key', 'access_token']) {
      const url = `${stand.base}/v1beta/models/m-gemini:generateContent?${name}=${key}`;
      const answer = await fetch(url, { method: 'POST', body: '{}' });
      const { error } = (await answer.json()) as { error: { message: string; status: string } };
      assert.deepEqual([answer.status, error.status], [400, 'INVALID_ARGUMENT']);
      assert.match(error.message, /must not appear in the URL/);
    }
    assert.deepEqual(stand.backend.heard, []);
  });

  for (const header of ['authorization', 'x-api-key', 'x-goog-api-key', 'x-gateway-api-key'])
    it(`can have its key in ${header}, and the key is not forwarded`, async () => {
      const answer = await fetch(`${stand.base}/v1/messages`, {
        method: 'POST',
        headers: {
          [header]: ['authorization', 'x-gateway-api-key'].includes(header) ? `Bearer ${key}` : key,
        },
        body: JSON.stringify({ model: 'm-messages', max_tokens: 5, messages: [] }),
      });
      assert.equal(answer.status, 200, await answer.text());
      const [heard] = stand.backend.heard;
      assert.ok(heard && !JSON.stringify([heard.rawHeaders, heard.body.toString(), heard.path]).includes(key));
    });

  it('gets errors in the format of its dialect', async () => {
    const shapes = {
      chat: { error: { type: 'key_model_access_denied', param: 'model', code: '403' } },
      messages: { type: 'error', error: { type: 'permission_error' } },
      gemini: { error: { code: 403, status: 'PERMISSION_DENIED' } },
    } as const;
    for (const [dialect, shape] of Object.entries(shapes)) {
      const path = streams[dialect as 'chat'].path.replace('{model}', 'other');
      const body = dialect === 'gemini' ? {} : { model: 'other', max_tokens: 1 };
      const answer = await stand.as(key, path, { method: 'POST', body: JSON.stringify(body) });
      assert.equal(answer.status, 403);
      assert.partialDeepStrictEqual(await answer.json(), shape);
    }
  });

  it('is refused at a path that does not serve the model, and the error names the paths that do', async () => {
    const body = JSON.stringify({ model: 'm-messages', messages: [] });
    const answer = await stand.as(key, '/v1/chat/completions', { method: 'POST', body });
    const { error } = (await answer.json()) as { error: { message: string; param: string } };
    assert.deepEqual([answer.status, error.param], [400, 'model']);
    assert.match(error.message, /'m-messages'.*Use \/v1\/messages\./);
  });
});
