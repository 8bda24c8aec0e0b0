import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { after, before, describe, it } from 'mocha';
import type { compileSchema as Compile } from '../../../../../../sidecar/gateway/guardrails/schemas/compileSchema.ts';
import { projectRoot } from '../../../../../support/cache.ts';

describe('the compiler of schemas, bundled as the sidecar is', () => {
  let folder: string;
  let compileSchema: typeof Compile;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-schemas-'));
    await build({
      entryPoints: [join(projectRoot, 'sidecar', 'gateway', 'guardrails', 'schemas', 'compileSchema.ts')],
      outdir: folder,
      bundle: true,
      format: 'esm',
      platform: 'node',
      splitting: true,
      minify: true,
      outExtension: { '.js': '.mjs' },
      banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
    });
    const bundled = (await import(pathToFileURL(join(folder, 'compileSchema.mjs')).href)) as {
      readonly compileSchema: typeof Compile;
    };
    compileSchema = bundled.compileSchema;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const $schema of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema']) {
    it(`finds ${$schema} and the formats in the bundle`, async () => {
      const schema = { $schema, properties: { at: { format: 'date' } } };
      const compiled = await compileSchema(schema, JSON.stringify(schema));
      assert.ok('validate' in compiled);
      assert.deepEqual([compiled.validate({ at: '2026-07-28' }), compiled.validate({ at: 'soon' })], [true, false]);
    });
  }
});
