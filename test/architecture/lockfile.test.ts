import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { projectRoot } from '../support/cache.ts';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
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

  it('has the checksum of every package that npm ci can install on Linux, and of all that are for every platform', () => {
    const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Locked>;
    };
    const unchecked = Object.entries(packages)
      .filter(([path, it]) => path !== '' && !it.link && !/^sha512-[\w+/]{86}==$/.test(it.integrity ?? ''))
      .filter(([, it]) => !it.optional || isForOurLinux(it))
      .map(([path]) => path);
    assert.deepEqual(unchecked, []);
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

/**
 * Linux with glibc on x64 or arm64, where this file is made. The registry serves no binaries of other platforms there, so
 * of those the names alone are known.
 */
function isForOurLinux({ os = [], cpu = [], libc = [] }: Locked): boolean {
  const fits = (wanted: readonly string[], ours: readonly string[]) =>
    wanted.length === 0 || wanted.some((it) => ours.includes(it));
  return fits(os, ['linux']) && fits(cpu, ['x64', 'arm64']) && fits(libc, ['glibc']);
}
