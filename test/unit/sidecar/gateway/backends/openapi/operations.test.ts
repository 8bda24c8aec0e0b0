import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { baseUrlOf } from '../../../../../../sidecar/gateway/backends/openapi/baseUrl.ts';
import { readDocument } from '../../../../../../sidecar/gateway/backends/openapi/document.ts';
import { readOperations } from '../../../../../../sidecar/gateway/backends/openapi/operations.ts';
import type { OpenApiOptions } from '../../../../../../sidecar/protocol/gateway/openapi.ts';
import { shelterDocument } from '../../../../../support/openapi/shelterDocument.ts';
import { verifies } from '../../../../../support/verifies.ts';

const read = (document: object) => readDocument(JSON.stringify(document));
const operations = async (document: object, options: OpenApiOptions = {}) =>
  readOperations(await read(document), options);
const schemaOf = async (schema: object, more: object = {}, version = '3.1.0') => {
  const found = await operations({
    openapi: version,
    paths: { '/x': { post: { operationId: 'x', requestBody: { content: { 'application/json': { schema } } } } } },
    components: { schemas: more },
  });
  const { inputSchema } = found.byName.get('x')!.tool as { inputSchema: { properties: { body: unknown } } };
  return inputSchema.properties.body;
};

describe('the tools of an OpenAPI document', () => {
  verifies(
    'gateway.openapi.tools',
    'gateway.openapi.filters',
    'gateway.openapi.documents',
    'gateway.openapi.references',
  );

  it('are its operations, by valid and unique names', async () => {
    const { byName, outlines } = await operations(shelterDocument());
    assert.deepEqual(
      [...byName.keys()],
      ['listPets', 'addPet', 'pets_get', 'pets_get_2', 'delete_pets_id', 'styles', 'addNote'],
    );
    assert.deepEqual(
      outlines.filter((it) => it.problem).map((it) => [it.name, it.problem]),
      [
        ['addPhoto', 'Its body is multipart/form-data, which tools cannot send.'],
        ['far', 'It has servers of its own, but all requests go to the address of the registered server.'],
        [
          'remote',
          "The reference 'https://far.example/s.json#/X' leads to another document, which is not fetched. Bundle the documents into one.",
        ],
      ],
    );
  });

  it('have hints that follow from the method, and words of the operation', async () => {
    const { byName } = await operations(shelterDocument());
    const hints = (name: string) => byName.get(name)!.tool['annotations'] as Record<string, boolean>;
    assert.deepEqual(hints('listPets'), {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    });
    assert.equal(hints('addPet')['destructiveHint'], false);
    assert.equal(hints('delete_pets_id')['destructiveHint'], true);
    const { title, description } = byName.get('listPets')!.tool;
    assert.deepEqual([title, description], ['List pets', 'List pets\n\nAll pets of the shelter.']);
    assert.equal(byName.get('delete_pets_id')!.tool['description'], 'DELETE /pets/{id}');
  });

  it('have one argument for each parameter and body, with references resolved and cycles cut', async () => {
    const { byName } = await operations(shelterDocument());
    assert.deepEqual(byName.get('addPet')!.tool['inputSchema'], {
      type: 'object',
      required: ['body'],
      additionalProperties: false,
      properties: {
        body: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', minLength: 1, pattern: '^[^<]+$' },
            kind: { anyOf: [{ const: 'cat' }, { const: 'dog' }] },
            parent: {},
            vet: { type: 'object', properties: { name: { type: 'string' } }, description: 'Who looks after it.' },
          },
        },
      },
    });
    const twins = byName.get('delete_pets_id')!.tool['inputSchema'] as { properties: object; required: unknown };
    assert.deepEqual([Object.keys(twins.properties), twins.required], [['path_id', 'query_id'], ['path_id']]);
    const list = byName.get('listPets')!.tool['inputSchema'] as { properties: Record<string, object> };
    assert.deepEqual(list.properties['limit'], {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      description: 'At most so many.',
    });
    assert.equal('Authorization' in list.properties, false, 'the credential decides this header');
  });

  for (const [title, options, names] of [
    ['tags', { include: { tags: ['pets'] } }, ['listPets', 'addPet', 'pets_get']],
    ['tags and methods', { include: { tags: ['pets'], methods: ['post'] } }, ['addPet']],
    ['operation IDs and names', { include: { operations: ['pets get', 'addNote'] } }, ['pets_get_2', 'addNote']],
    ['paths', { include: { paths: ['/pets*', '/no/*'] }, exclude: { paths: ['*/{id}'] } }, ['listPets', 'addPet']],
    ['what is excluded', { exclude: { methods: ['delete', 'put'], tags: ['pets'] } }, ['styles', 'addNote']],
  ] as const) {
    it(`can be chosen by ${title}`, async () => {
      const { byName, outlines } = await operations(shelterDocument(), options as unknown as OpenApiOptions);
      assert.deepEqual([...byName.keys()], names);
      assert.equal(outlines.length, 10, 'what is left out is still shown');
    });
  }

  it('read the schemas of OpenAPI 3.0 as they are meant', async () => {
    const schema = {
      type: 'object',
      properties: {
        age: { type: 'integer', minimum: 0, exclusiveMinimum: true, nullable: true },
        kind: { type: 'string', enum: ['a'], nullable: true },
        owner: { $ref: '#/components/schemas/Owner', nullable: true },
        bad: { type: 'file', pattern: '(?i)x', required: true, minLength: -1 },
      },
    };
    const read = await schemaOf(schema, { Owner: { nullable: true, allOf: [{ type: 'object' }] } }, '3.0.3');
    assert.deepEqual(read, {
      type: 'object',
      properties: {
        age: { type: ['integer', 'null'], exclusiveMinimum: 0 },
        kind: { type: ['string', 'null'], enum: ['a', null] },
        owner: { anyOf: [{ allOf: [{ type: 'object' }] }, { type: 'null' }] },
        bad: {},
      },
    });
  });

  it('stay short where references multiply', async () => {
    const bomb: Record<string, object> = { S0: { type: 'string' } };
    for (let at = 1; at <= 40; at += 1) {
      const ref = { $ref: `#/components/schemas/S${at - 1}` };
      bomb[`S${at}`] = { type: 'object', properties: { a: ref, b: ref, c: ref } };
    }
    const schema = await schemaOf({ $ref: '#/components/schemas/S40' }, bomb);
    assert.ok(JSON.stringify(schema).length < 60_000);
  });

  it('have unique arguments, whatever the case of their names', async () => {
    const parameters = ['ä', 'ö', '_', 'X', 'x', 'x_2', 'X_2'].map((name) => ({ name, in: 'query' }));
    const { byName } = await operations({
      openapi: '3.1.0',
      paths: { '/x': { get: { operationId: 'x', parameters } } },
    });
    assert.deepEqual([...byName.get('x')!.parameters.keys()], ['_', '__2', '__3', 'X', 'x_2', 'x_2_2', 'X_2_3']);
  });

  it('are none where references give many operations many parameters', async () => {
    const parameters = Array.from({ length: 1_000 }, () => ({ $ref: '#/p' }));
    const item = { parameters, get: {}, put: {}, post: {}, patch: {} };
    const document = (count: number) => {
      const paths = Object.fromEntries(Array.from({ length: count }, (_, n) => [`/${n}`, item]));
      return { openapi: '3.1.0', paths, p: { name: 'one', in: 'query' } };
    };
    assert.equal((await operations(document(25))).byName.size, 100);
    await assert.rejects(operations(document(26)), { message: /have more than 100000 parameters\.$/ });
  });

  it('are left out where a reference leads nowhere or to itself', async () => {
    const parameters = [{ $ref: '#/components/parameters/Loop' }];
    const { outlines } = await operations({
      openapi: '3.1.0',
      paths: {
        '/a': { get: { parameters } },
        '/b': { get: { parameters: [{ $ref: '#/nothing' }] } },
        '/c': { get: { parameters: [{ $ref: '#/__proto__/x' }] } },
        '/d/{x}': { get: {} },
        '/e?x=1': { get: {} },
        '/f': { get: { parameters: [{ name: 'host', in: 'header', schema: {} }] } },
      },
      components: { parameters: { Loop: { $ref: '#/components/parameters/Loop' } } },
    });
    assert.deepEqual(
      outlines.map((it) => it.problem),
      [
        'A reference leads back to itself.',
        "The reference '#/nothing' leads nowhere.",
        "The reference '#/__proto__/x' leads nowhere.",
        "The parameter 'x' of its path is not declared.",
        "Its path contains '?' or '#'.",
        "Its header parameter 'host' cannot be sent.",
      ],
    );
  });

  it('are read from YAML as well', async () => {
    const document = await readDocument(
      'openapi: 3.0.1\ninfo: { title: Y }\npaths:\n  /a:\n    get: { operationId: a }\n',
    );
    assert.deepEqual(
      [document.title, document.is30, [...readOperations(document, {}).byName.keys()]],
      ['Y', true, ['a']],
    );
  });

  for (const [title, text, words] of [
    ['Swagger 2.0', '{"swagger":"2.0"}', /Swagger 2\.0, but OpenAPI 3\.0 or 3\.1 is required\. Convert it/],
    ['another version', '{"openapi":"4.0.0"}', /not an OpenAPI 3\.0 or 3\.1 document/],
    ['broken JSON', '{"openapi":', /not valid JSON/],
    ['a web page', '<!doctype html>', /not an OpenAPI document|neither valid JSON nor valid YAML/],
    ['a list', '- a', /not an object/],
    ['too much YAML', `# ${'x'.repeat(2_000_001)}`, /Use JSON for a large document/],
    ['too much', `{${' '.repeat(16_000_001)}}`, /longer than 16000000 characters/],
    [
      'an alias bomb',
      `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
        .split('')
        .map((it, at) => `${it}: &${it} [${`*${'abcdefg'[at]},`.repeat(10)}]`)
        .join('\n')}`,
      /neither valid JSON nor valid YAML/,
    ],
    ['deep nesting', `{"openapi":"3.1.0","paths":${'['.repeat(300)}${']'.repeat(300)}}`, /nested too deeply/],
  ] as const) {
    it(`are none for ${title}`, async () => {
      await assert.rejects(readDocument(text), words);
    });
  }

  it('are called at the registered address, or at a server with the address of the document', async () => {
    const spec = 'https://api.example.com/docs/openapi.json';
    const at = async (servers: readonly object[], url?: string, where = spec) =>
      baseUrlOf(await read(shelterDocument({ servers })), { spec: where, url }).href;
    assert.equal(await at([{ url: '/v1/' }]), 'https://api.example.com/v1');
    assert.equal(
      await at([{ url: 'https://api.example.com/{v}', variables: { v: { default: 'v2' } } }]),
      'https://api.example.com/v2',
    );
    assert.equal(await at([]), 'https://api.example.com/');
    assert.equal(await at([{ url: 'http://10.0.0.1/' }], 'https://mine.example/api'), 'https://mine.example/api');
    assert.equal(await at([{ url: 'https://b.example/' }], undefined, '/etc/api.json'), 'https://b.example/');
    for (const url of [
      'http://169.254.169.254/latest',
      'http://api.example.com/v1',
      'https://api.example.com.evil.example',
    ])
      await assert.rejects(at([{ url }]), /another address than its own/);
    await assert.rejects(at([{ url: 'file:///etc/passwd' }]), /not an http or https URL/);
    await assert.rejects(at([{ url: '/v1' }], undefined, '/etc/api.json'), /Set 'url'/);
  });
});
