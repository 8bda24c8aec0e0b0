import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Editor } from '../../vscode/driver/editor.ts';
import { endShared } from '../../vscode/driver/servedBackend.ts';
import type { TreeRow, TreeRows } from '../../vscode/driver/tree.ts';
import { until } from '../../vscode/driver/until.ts';
import type { EditorWindow } from '../../vscode/driver/window.ts';
import { type BenchHost, openHostWithSessions } from '../benchHost.ts';
import { alternate, type Row, ratioRow } from '../measure.ts';

const FEW = 100;
const MANY = 10_000;

/** How long the Sessions view takes to show that a session was read or is unread again, however many there are. */
export async function sessionsTree(): Promise<readonly Row[]> {
  const [few, many] = [await Listed.open(FEW), await Listed.open(MANY)];
  try {
    const refreshed = await alternate(
      () => many.toggleMs(),
      () => few.toggleMs(),
    );
    return [ratioRow(`a row changes in a list of ${MANY} sessions, against ${FEW}`, refreshed, 2)];
  } finally {
    await few.close();
    await many.close();
    await endShared();
  }
}

/** A window of its own editor, whose host has `count` sessions. */
class Listed {
  readonly #host: BenchHost;
  readonly #editor: Editor;
  readonly #window: EditorWindow;
  readonly #rows: TreeRows;
  readonly #session: string;
  #isUnread: boolean;

  private constructor(
    host: BenchHost,
    editor: Editor,
    window: EditorWindow,
    rows: TreeRows,
    session: string,
    isUnread: boolean,
  ) {
    this.#isUnread = isUnread;
    this.#host = host;
    this.#editor = editor;
    this.#window = window;
    this.#rows = rows;
    this.#session = session;
  }

  static async open(count: number): Promise<Listed> {
    const host = await openHostWithSessions(count);
    const editor = await Editor.open(`bench-list-${count}`, {
      env: {}, // an editor of its own: the one that suites share does not use the data that is prepared here
      prepare: ({ dataDir }) =>
        cpSync(host.place.dataDir, join(dataDir, 'data', 'User', 'globalStorage', 'switchboard.switchboard'), {
          recursive: true,
        }),
    });
    const window = await editor.openWindow();
    await window.openContainer('Switchboard');
    const rows = await window.tree('Sessions');
    await until('the sessions are listed', async () => (await rows.rows()).length > 1, 120_000);
    await window.probe.command('switchboard.session.pin', host.session);
    await rows.waitFor('Pinned');
    const isUnread = /unread/.test((await rows.rows()).find((it) => it.level === 2)?.ariaLabel ?? '');
    return new Listed(host, editor, window, rows, host.session, isUnread);
  }

  async toggleMs(): Promise<number> {
    this.#isUnread = !this.#isUnread;
    const started = performance.now();
    const command = `switchboard.session.${this.#isUnread ? 'markUnread' : 'markRead'}`;
    const commanded = this.#window.probe.command(command, this.#session);
    const wanted = this.#isUnread;
    await until(
      `the row is ${wanted ? 'unread' : 'read'}`,
      async () => /unread/.test((await this.#pinned())?.ariaLabel ?? '') === wanted,
      { everyMs: 5 },
    );
    const ms = performance.now() - started;
    await commanded;
    return ms;
  }

  /** The group of pinned sessions lies above all others, and holds the one that is measured. */
  async #pinned(): Promise<TreeRow | undefined> {
    return (await this.#rows.rows()).find((it) => it.level === 2);
  }

  async close(): Promise<void> {
    await this.#editor.close();
    await this.#host.close();
  }
}
