import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { wellKnown } from '../../sidecar/agents/acp/wellKnown.ts';
import { readSource, sourcePaths } from '../support/sources.ts';
import { verifies } from '../support/verifies.ts';

/** Providers are called after their folder; those of ACP have a table. */
const folders = sourcePaths(['sidecar/agents']).flatMap((it) => /^sidecar\/agents\/(\w+)\//.exec(it)?.[1] ?? []);
const ids = [...new Set([...folders, ...wellKnown.map((it) => it.id)])].filter((it) => it !== 'acp');

/** Whom a text names by its id, in a comparison. */
const comparisons = new RegExp(`(?:[!=]==?\\s*|case\\s+|includes\\()['"\`](?:${ids.join('|')})['"\`]`);

describe('what the editor offers', () => {
  it('depends on what agents say that they can do: no code of windows and pages compares the id of an agent', () => {
    verifies('host.service.gated');
    for (const id of ['claude', 'runbook']) assert.match(`provider === '${id}'`, comparisons, 'it would be found');
    const files = sourcePaths(['src', 'media']);
    assert.ok(files.length > 100);
    const found = files.filter((it) => comparisons.test(readSource(it)));
    assert.deepEqual(found, []);
  });
});
