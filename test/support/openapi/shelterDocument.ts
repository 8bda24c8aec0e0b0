/** An OpenAPI document with every style of parameters, every kind of body that is written, references, and a cycle. */
export function shelterDocument(more: { readonly servers?: readonly object[]; readonly version?: string } = {}) {
  const text = { type: 'string' };
  const list = { type: 'array', items: text };
  const map = { type: 'object', additionalProperties: text };
  const query = (name: string, schema: object, rest: object = {}) => ({ name, in: 'query', schema, ...rest });
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  const answers = { responses: { 200: { description: 'Done.' } } };
  return {
    openapi: more.version ?? '3.1.0',
    info: { title: 'Shelter', version: '4.2' },
    ...(more.servers && { servers: more.servers }),
    paths: {
      '/pets': {
        get: {
          operationId: 'listPets',
          summary: 'List pets',
          description: 'All pets of the shelter.',
          tags: ['pets'],
          parameters: [
            { $ref: '#/components/parameters/Limit' },
            query('tags', list),
            query('ids', list, { explode: false }),
            query('spaced', list, { style: 'spaceDelimited', explode: false }),
            query('piped', list, { style: 'pipeDelimited', explode: false }),
            query('filter', map, { style: 'deepObject' }),
            query('flat', map, { explode: false }),
            query('open', map),
            query('at', text, { allowReserved: true }),
            { name: 'where', in: 'query', ...json({ type: 'object' }) },
            { name: 'X-Trace', in: 'header', schema: text },
            { name: 'X-Parts', in: 'header', schema: map, explode: true },
            { name: 'Authorization', in: 'header', schema: text },
            { name: 'theme', in: 'cookie', schema: text },
            { name: 'marks', in: 'cookie', schema: list, explode: false },
          ],
          ...answers,
        },
        post: {
          operationId: 'addPet',
          summary: 'Add a pet',
          tags: ['pets'],
          requestBody: { required: true, ...json({ $ref: '#/components/schemas/Pet' }) },
          ...answers,
        },
      },
      '/pets/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        get: { operationId: 'pets.get', tags: ['pets'], ...answers },
        put: {
          operationId: 'pets get',
          requestBody: {
            content: {
              'application/x-www-form-urlencoded': {
                schema: { type: 'object', properties: { name: text, tags: list, at: map } },
                encoding: { at: { style: 'deepObject', explode: true } },
              },
            },
          },
          ...answers,
        },
        delete: {
          parameters: [{ name: 'id', in: 'query', schema: text }],
          ...answers,
        },
      },
      '/matrix/{one}/{many}/label/{dot}/{map}': {
        get: {
          operationId: 'styles',
          parameters: [
            { name: 'one', in: 'path', required: true, style: 'matrix', schema: text },
            { name: 'many', in: 'path', required: true, style: 'matrix', explode: true, schema: list },
            { name: 'dot', in: 'path', required: true, style: 'label', explode: true, schema: list },
            { name: 'map', in: 'path', required: true, explode: true, schema: map },
          ],
          ...answers,
        },
      },
      '/notes': {
        post: { operationId: 'addNote', requestBody: { content: { 'text/plain': { schema: text } } }, ...answers },
      },
      '/photos': {
        post: {
          operationId: 'addPhoto',
          requestBody: { content: { 'multipart/form-data': { schema: { type: 'object' } } } },
          ...answers,
        },
      },
      '/elsewhere': { get: { operationId: 'far', servers: [{ url: 'https://far.example' }], ...answers } },
      '/remote': {
        get: { operationId: 'remote', parameters: [query('x', { $ref: 'https://far.example/s.json#/X' })], ...answers },
      },
    },
    components: {
      parameters: {
        Limit: {
          name: 'limit',
          in: 'query',
          description: 'At most so many.',
          schema: { type: 'integer', minimum: 1, maximum: 100 },
        },
      },
      schemas: {
        Pet: {
          type: 'object',
          required: ['id', 'name'],
          properties: {
            id: { type: 'string', readOnly: true },
            name: { type: 'string', minLength: 1, pattern: '^[^<]+$' },
            kind: { oneOf: [{ const: 'cat' }, { const: 'dog' }] },
            parent: { $ref: '#/components/schemas/Pet' },
            vet: { $ref: '#/components/schemas/Vet', description: 'Who looks after it.' },
          },
        },
        Vet: { type: 'object', properties: { name: text } },
      },
    },
  };
}
