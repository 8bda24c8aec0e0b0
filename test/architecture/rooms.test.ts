import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { entryPoints, rooms } from '../../rooms.ts';
import { projectRoot } from '../support/cache.ts';
import { readSource, sourcePaths } from '../support/sources.ts';
import { runtimeImports } from './plan/imports.ts';

const files = sourcePaths(['src', 'sidecar', 'media']).filter((path) => !entryPoints.includes(path));
const roomOf = (path: string) => bySpecificity.find((room) => path.startsWith(`${room}/`));
const bySpecificity = Object.keys(rooms).sort((a, b) => b.length - a.length);
/** What a bundler takes in besides code. */
const isStyle = (name: string) => /\.(css|svg|ttf)$/.test(name);

const atRunTime = runtimeImports(['src', 'sidecar', 'media']);

function allowed(file: string, name: string): boolean {
  const home = roomOf(file);
  const rule = home === undefined ? undefined : rooms[home];
  if (!rule) return false;
  if (!name.startsWith('.')) {
    return rule.packages.some((own) =>
      own.endsWith(':') ? name.startsWith(own) : name === own || name.startsWith(`${own}/`),
    );
  }
  const path = posix.join(posix.dirname(file), name);
  const target = roomOf(path);
  if (target === undefined) return false;
  if (target === home || rule.rooms.includes(target)) return true;
  return rule.types?.includes(target) === true && atRunTime.get(file)?.includes(path) !== true;
}

describe('rooms', () => {
  it('found the code', () => assert.ok(files.length > 10));

  it('every file lives in a room', () => {
    assert.deepEqual(
      files.filter((path) => !roomOf(path)),
      [],
    );
  });

  it('every room has files', () => {
    const lived = new Set(files.map(roomOf));
    assert.deepEqual(
      Object.keys(rooms).filter((room) => !lived.has(room)),
      [],
    );
  });

  it('every import is allowed', () => {
    const bad = files.flatMap((file) =>
      ts
        .preProcessFile(readSource(file)) // static, type-only, re-exported and dynamic imports alike
        .importedFiles.filter((found) => !isStyle(found.fileName) && !allowed(file, found.fileName))
        .map((found) => `${file} -> ${found.fileName}`),
    );
    assert.deepEqual(bad, []);
  });

  it('nobody imports an entry point, and no code imports a test', () => {
    const bad = sourcePaths(['src', 'sidecar', 'media', 'test']).flatMap((file) =>
      ts
        .preProcessFile(readSource(file))
        .importedFiles.map((found) => posix.join(posix.dirname(file), found.fileName))
        .filter((target) => (entryPoints.includes(target) || target.startsWith('test/')) && !file.startsWith('test/'))
        .map((target) => `${file} -> ${target}`),
    );
    assert.deepEqual(bad, []);
  });

  it('zod is imported as a namespace, which is five times smaller', () => {
    const bad = sourcePaths(['src', 'sidecar', 'media', 'test']).filter((file) =>
      /import \{[^}]*\bz\b[^}]*\} from 'zod'/.test(readSource(file)),
    );
    assert.deepEqual(bad, []);
  });

  it('the top of the project has these folders and no other', () => {
    const folders = readdirSync(projectRoot, { withFileTypes: true })
      .filter(
        (entry) =>
          entry.isDirectory() && !['.git', 'node_modules', 'dist', '.vscode-test', 'coverage'].includes(entry.name),
      )
      .map((entry) => entry.name);
    assert.deepEqual(folders.sort(), ['.ci', '.github', '.vscode', 'media', 'sidecar', 'src', 'test']);
  });
});
