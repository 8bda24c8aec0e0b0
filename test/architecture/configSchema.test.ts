import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'jsonc-parser';
import { describe, it } from 'mocha';
import { configJsonSchema, type JsonSchema } from '../../sidecar/gateway/configuration/jsonSchema.ts';
import { projectRoot } from '../support/cache.ts';

const read = (name: string) => readFileSync(join(projectRoot, name), 'utf8');
const published = JSON.parse(read('dist/switchboard.schema.json')) as JsonSchema;

describe('the JSON schema of switchboard.jsonc', () => {
  it('is what the code that reads the file says', () => {
    assert.deepEqual(published, JSON.parse(JSON.stringify(configJsonSchema())));
  });

  it('is given to the editor for that file', () => {
    const { contributes } = JSON.parse(read('package.json')) as { contributes: { jsonValidation: unknown } };
    assert.deepEqual(contributes.jsonValidation, [
      { fileMatch: 'switchboard.jsonc', url: './dist/switchboard.schema.json' },
    ]);
  });

  it('has words for every member', () => {
    assert.deepEqual(withoutWords(published, ''), []);
  });

  it('takes the documented sample, and refuses it with a secret in clear text', () => {
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(published);
    const sample = parse(read('test/fixtures/config/switchboard.jsonc'), [], { allowTrailingComma: true }) as {
      mcp_servers: { github: { credentials: { auth_value: unknown } } };
    };
    assert.equal(validate(sample), true, ajv.errorsText(validate.errors));
    sample.mcp_servers.github.credentials.auth_value = 'in clear text';
    assert.equal(validate(sample), false);
  });
});

/** Paths of members that have no description. */
function withoutWords(schema: JsonSchema, path: string): string[] {
  const inner = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])] as JsonSchema[];
  return inner.flatMap(({ properties, additionalProperties, items }) => {
    const members = Object.entries(properties ?? {}).flatMap(([name, it]) => {
      const member = it as JsonSchema;
      const here = `${path}/${name}`;
      return [...(member.description ? [] : [here]), ...withoutWords(member, here)];
    });
    const entries = typeof additionalProperties === 'object' ? withoutWords(additionalProperties, `${path}/*`) : [];
    const elements = typeof items === 'object' ? withoutWords(items as JsonSchema, `${path}/[]`) : [];
    return [...members, ...entries, ...elements];
  });
}
