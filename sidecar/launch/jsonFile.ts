import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type * as z from 'zod';

/** Replaces a small file whole, readable by its owner alone: a reader sees the old or the new one, never a half. */
export function writeJsonFile(path: string, value: unknown, pid: number): void {
  const fresh = `${path}.${pid}.tmp`;
  writeFileSync(fresh, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, path);
}

/** @returns undefined when it is not there, or is not what it should be: such a file is as good as none */
export function readJsonFile<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

export function removeFile(path: string): void {
  rmSync(path, { force: true });
}
