import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { projectRoot } from '../support/cache.ts';

interface Locked {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe('package-lock.json', () => {
  it('names every optional package of every platform, without which npm ci refuses to run', () => {
    const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Locked>;
    };
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).filter(
        (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
      ),
    );
    assert.deepEqual(missing, []);
  });

  it('agrees with package.json', () => {
    const lists = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
    const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as Record<string, unknown>;
    const root = (
      JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
        packages: Record<string, Record<string, unknown>>;
      }
    ).packages[''];
    for (const list of lists) assert.deepEqual(root?.[list], manifest[list], list);
  });
});
