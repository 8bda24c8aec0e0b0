import { html, nothing, type TemplateResult } from 'lit';
import type { DetailKind } from '../../../sidecar/protocol/gateway/pages/recordUse.ts';
import { t } from '../../shared/l10n.ts';
import type { Values } from '../form/collect.ts';
import type { FormGroup } from '../form/formSpec.ts';
import type { RecordPage, Routes } from '../gateway.ts';
import type { Session } from '../kit/adminElement.ts';
import { confirmDialog } from '../kit/dialog.ts';
import { go, pageOfKind } from '../kit/links.ts';
import type { Column } from '../kit/table.ts';
import { editRecord } from './editRecord.ts';
import { pageLocally } from './localList.ts';
import type { Lookups } from './lookups.ts';
import { isConfigured } from './openRecord.ts';
import { type RecordLabels, RecordsElement, type RowAction } from './recordsElement.ts';

type Query = Readonly<Record<string, string>>;

/** What an action of a row may use of its page. */
export interface PageContext {
  readonly session: Session;
  /** Shows that something was done. */
  readonly notify: (text: string) => void;
  /** Does something, says so or why not, and reads the list again. */
  readonly act: (work: () => Promise<unknown>, done: string) => Promise<void>;
}

/** One kind of record: all that its page shows, asks for and does. */
export interface RecordKind<T> {
  readonly icon: string;
  /** What the gateway calls the kind, where each record has a page. */
  readonly detail?: DetailKind;
  readonly words: () => Omit<RecordLabels, 'icon'>;
  /** All of them, to be searched and paged here, or the page that the query asks the gateway for. */
  readonly list: (routes: Routes, signal: AbortSignal, query: Query) => Promise<readonly T[] | RecordPage<T>>;
  /** Beside the search. @param ask changes the query of the address */
  readonly filters?: (query: Query, ask: (query: Query) => void) => TemplateResult;
  readonly idOf: (row: T) => string;
  readonly nameOf: (row: T) => string;
  /** @param open opens a row: its page, else its form, or what is in it for who may only look */
  readonly columns: (open: (row: T) => void) => readonly Column<T>[];
  readonly form: (
    lookups: Lookups,
    row: T | undefined,
    routes: Routes,
  ) => readonly FormGroup[] | Promise<readonly FormGroup[]>;
  /** A kept record as the form's fields name it, where they differ from the record's members. */
  readonly values?: (row: T) => Values;
  readonly initial?: Values;
  readonly save: (routes: Routes, body: Record<string, unknown>, row: T | undefined) => Promise<unknown>;
  /** Actions of a row beside those that every record has. */
  readonly actions?: (row: T, page: PageContext) => readonly RowAction[];
  readonly block?: {
    readonly is: (row: T) => boolean;
    readonly set: (routes: Routes, row: T, isBlocked: boolean) => Promise<unknown>;
  };
  readonly remove: (routes: Routes, row: T) => Promise<unknown>;
  /** What else ends when a record goes. */
  readonly removalNote: () => string;
}

/** The page of a kind of record. */
class RecordsPage<T extends object> extends RecordsElement<T> {
  static override properties = { ...RecordsElement.properties, kind: { attribute: false } };
  declare kind: RecordKind<T>;

  protected override words = (): RecordLabels => ({ ...this.kind.words(), icon: this.kind.icon });
  protected override idOf = (row: T): string => this.kind.idOf(row);
  protected override nameOf = (row: T): string => this.kind.nameOf(row);
  protected override async load(signal: AbortSignal) {
    const found = await this.kind.list(this.session.routes, signal, this.query);
    if ('rows' in found) return found;
    const textOf = (it: T) => `${this.nameOf(it)} ${this.idOf(it)}`;
    return pageLocally(found, this.query, { textOf, columns: this.columns() });
  }
  protected override filters() {
    return this.kind.filters?.(this.query, (query) => this.ask(query)) ?? nothing;
  }
  protected override columns(): readonly Column<T>[] {
    return this.kind.columns((row) => this.#open(row));
  }

  protected override actions(row: T): readonly RowAction[] {
    const look = { id: 'look', label: t('View…'), icon: 'eye', run: () => this.#open(row) };
    if (!this.session.mayWrite || isConfigured(row)) return [look, ...this.#ownActions(row)];
    return [
      { id: 'edit', label: t('Edit…'), icon: 'edit', run: () => void this.edit(row) },
      ...this.#ownActions(row),
      ...this.#blockAction(row),
      { id: 'delete', label: t('Delete…'), icon: 'trash', run: () => this.#remove(row) },
    ];
  }
  #ownActions(row: T): readonly RowAction[] {
    return (
      this.kind.actions?.(row, {
        session: this.session,
        notify: (text) => this.notify(text),
        act: (work, done) => this.act(work, done),
      }) ?? []
    );
  }

  #blockAction(row: T): readonly RowAction[] {
    const { block } = this.kind;
    if (!block) return [];
    const name = this.nameOf(row);
    const isBlocked = block.is(row);
    const run = () =>
      void this.act(
        () => block.set(this.session.routes, row, !isBlocked),
        isBlocked ? t('{0} was unblocked', name) : t('{0} was blocked', name),
      );
    return isBlocked
      ? [{ id: 'unblock', label: t('Unblock'), icon: 'pass', run }]
      : [{ id: 'block', label: t('Block'), icon: 'circle-slash', run }];
  }

  #remove(row: T): void {
    const name = this.nameOf(row);
    confirmDialog({
      title: t('Delete "{0}"?', name),
      words: this.kind.removalNote(),
      button: t('Delete'),
      act: async () => {
        await this.kind.remove(this.session.routes, row);
        this.notify(t('{0} was deleted', name));
        await this.list.run();
      },
    });
  }

  protected override edit(row?: T): Promise<void> {
    return editRecord(this.session, this.kind, row, async (words) => {
      this.notify(words);
      await this.list.run();
    });
  }

  /** The page of the record, where its kind has one. */
  #open(row: T): void {
    const { detail } = this.kind;
    if (detail) go({ page: pageOfKind[detail], id: this.idOf(row) });
    else void this.edit(row);
  }
}
customElements.define('admin-records', RecordsPage);

export const recordsPage = <T extends object>(session: Session, query: Query, kind: RecordKind<T>): TemplateResult =>
  html`<admin-records .session=${session} .query=${query} .kind=${kind}></admin-records>`;
