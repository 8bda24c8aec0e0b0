import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../support/cache.ts';
import { ageMs, threadsMs } from './gateway/processFigures.ts';

/** From the start of a process to its first answer. */
export interface Ready {
  readonly ms: number;
  /** Of all its threads. */
  readonly processorMs: number;
}

/**
 * What any program costs that is as large as ours and keeps its records in a file: Node, a bundle of which nothing is called,
 * and a database that is opened and asked. Compiled code is kept as ours is.
 */
export interface BareNode {
  /** @param code what an earlier start compiled */
  start(code: 'kept' | 'removed'): Promise<Ready>;
  close(): void;
}

/** @param file a database of the host that nothing else has open */
export function openBareNode(file: string): BareNode {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bare-node-'));
  const [bundle, entry, cache] = ['bundle.mjs', 'entry.mjs', 'compile-cache'].map((it) => join(folder, it));
  writeFileSync(bundle!, emptyBundle(hostBytes()));
  writeFileSync(entry!, ENTRY);
  return {
    async start(code) {
      if (code === 'removed') rmSync(cache!, { recursive: true, force: true });
      const child = spawn(process.execPath, [entry!, cache!, file], { stdio: ['pipe', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      await once(child.stdout, 'data');
      const pid = child.pid ?? 0;
      const figures = { ms: ageMs(pid), processorMs: threadsMs(pid) };
      child.stdin.end(); // it keeps its code, and ends
      await exited;
      return figures;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const ENTRY = `
import module from 'node:module';
const [, , cache, file] = process.argv;
module.enableCompileCache(cache);
await import('./bundle.mjs');
const { DatabaseSync } = await import('node:sqlite');
const db = new DatabaseSync(file);
const { count } = db.prepare('select count(*) as count from session').get();
process.stdout.write(String(count));
process.stdin.resume();
`;

/** Functions, none of which is called. */
function emptyBundle(bytes: number): string {
  let text = '';
  for (let n = 0; text.length < bytes; n += 1) {
    text += `export function f${n}(a,b){const c={a,b,n:${n}};if(c.a>c.b)return[c,...Object.keys(c)].map((it)=>String(it)+"${n}");return c}\n`;
  }
  return text;
}

interface Output {
  readonly bytes: number;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
}

/** The bytes of all files that the host loads until it answers. */
function hostBytes(): number {
  const meta = JSON.parse(readFileSync(join(projectRoot, 'dist/meta.json'), 'utf8')) as Record<
    string,
    { readonly outputs: Readonly<Record<string, Output>> }
  >;
  const outputs = meta['sidecar']?.outputs ?? {};
  const loaded = new Set<string>();
  const load = (path: string) => {
    const output = outputs[path];
    if (!output || loaded.has(path)) return;
    loaded.add(path);
    for (const it of output.imports) if (it.kind === 'import-statement') load(it.path);
  };
  const entries = ['entry:sidecar-entry', 'sidecar/main.ts', 'sidecar/launch/host/hostRole.ts', 'sidecar/host/host.ts'];
  for (const [path, { inputs }] of Object.entries(outputs)) if (entries.some((it) => it in inputs)) load(path);
  return [...loaded].reduce((sum, it) => sum + (outputs[it]?.bytes ?? 0), 0);
}
