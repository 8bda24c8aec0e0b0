import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Whether processes can be looked at here. */
export const hasProc = existsSync('/proc/self/cmdline');

/** Where a secret may have got to, and what is there. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

/** Every file below a folder. */
export function filesIn(dir: string): Place[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .flatMap((it) => {
      const path = join(it.parentPath, it.name);
      try {
        return [{ name: it.name, text: readFileSync(path, 'latin1') }];
      } catch (error) {
        // Node writes its compile cache under a passing name: what is gone by now holds nothing.
        if (!existsSync(path)) return [];
        throw error;
      }
    });
}

/** Every value of every row, of a copy: a page of the file may cut a text in two. */
export function rowsIn(file: string): Place[] {
  const copy = mkdtempSync(join(tmpdir(), 'switchboard-db-'));
  try {
    for (const it of [file, `${file}-wal`]) if (existsSync(it)) cpSync(it, join(copy, basename(it)));
    const db = new DatabaseSync(join(copy, basename(file)));
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
    const places = tables.map(({ name }) => ({
      name: `rows of ${name}`,
      text: JSON.stringify(db.prepare(`SELECT * FROM "${name}"`).all()),
    }));
    db.close();
    return places;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Of every process of this machine. */
export function commandLines(): Place[] {
  if (!hasProc) return [];
  return readdirSync('/proc')
    .filter((it) => /^\d+$/.test(it))
    .map((pid) => ({ name: `command line of ${pid}`, text: readIfThere(`/proc/${pid}/cmdline`) }));
}

/** What a file says; nothing once it is gone. */
export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // it ended while we looked
  }
}
