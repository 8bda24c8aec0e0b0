import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import * as z from 'zod';
import { compile } from '../../../../sidecar/launch/host/schemaCompiler.ts';
import { compiledOnce, compileWith } from '../../../../sidecar/protocol/building.ts';

describe('a schema that comes with every message', () => {
  const judge = compiledOnce(z.object({ name: z.string().min(1), size: z.int().exactOptional() }));
  const values = [{ name: 'a' }, { name: 'a', size: 1, more: true }, { name: '' }, { name: 'a', size: 1.5 }, {}, null];
  const answers = () => values.map((it) => JSON.stringify(judge(it)));

  it('judges the same before and after the process has a compiler', () => {
    const before = answers();
    let compiled = 0;
    compileWith((schema) => {
      compiled += 1;
      return compile(schema);
    });
    assert.deepEqual(answers(), before);
    assert.equal(compiled, 1);
  });
});
