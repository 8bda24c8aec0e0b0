import { t } from '../../shared/l10n.ts';
import type { Values } from '../form/collect.ts';
import type { FormGroup } from '../form/formSpec.ts';
import type { Routes } from '../gateway.ts';
import { confirmDialog } from '../kit/dialog.ts';
import type { Column } from '../kit/table.ts';
import { type Lookups, readLookups } from './lookups.ts';
import { openForm } from './openForm.ts';
import { isConfigured, openRecord, whyFixed } from './openRecord.ts';
import { pageLocally, RecordsElement, type RecordWords, type RowAction } from './recordsElement.ts';

/** All that differs between pages whose lists the gateway answers whole. */
export interface RecordKind<T> {
  readonly words: () => RecordWords;
  readonly list: (routes: Routes, signal: AbortSignal) => Promise<readonly T[]>;
  readonly idOf: (row: T) => string;
  readonly nameOf: (row: T) => string;
  /** @param open opens a row: its form, or what is in it for who may only look */
  readonly columns: (open: (row: T) => void) => readonly Column<T>[];
  readonly form: (lookups: Lookups, row: T | undefined) => readonly FormGroup[];
  readonly initial?: Values;
  readonly save: (routes: Routes, body: Record<string, unknown>, row: T | undefined) => Promise<unknown>;
  readonly block?: {
    readonly is: (row: T) => boolean;
    readonly set: (routes: Routes, row: T, isBlocked: boolean) => Promise<unknown>;
  };
  readonly remove: (routes: Routes, row: T) => Promise<unknown>;
  /** What else ends when a record goes. */
  readonly removeWords: () => string;
}

export abstract class SimpleRecords<T extends object> extends RecordsElement<T> {
  protected abstract readonly kind: RecordKind<T>;

  protected override words = (): RecordWords => this.kind.words();
  protected override idOf = (row: T): string => this.kind.idOf(row);
  protected override nameOf = (row: T): string => this.kind.nameOf(row);
  protected override async load(signal: AbortSignal) {
    const all = await this.kind.list(this.session.routes, signal);
    return pageLocally(all, this.query, (it) => `${this.nameOf(it)} ${this.idOf(it)}`);
  }
  protected override columns(): readonly Column<T>[] {
    return this.kind.columns((row) => void this.edit(row));
  }

  protected override actions(row: T): readonly RowAction[] {
    const look = { id: 'look', label: t('View…'), icon: 'eye', run: () => void this.edit(row) };
    if (!this.session.mayWrite || isConfigured(row)) return [look, ...this.moreActions(row)];
    return [
      { id: 'edit', label: t('Edit…'), icon: 'edit', run: () => void this.edit(row) },
      ...this.moreActions(row),
      ...this.#blockAction(row),
      { id: 'delete', label: t('Delete…'), icon: 'trash', run: () => this.#remove(row) },
    ];
  }
  protected moreActions(_row: T): readonly RowAction[] {
    return [];
  }

  #blockAction(row: T): readonly RowAction[] {
    const { block } = this.kind;
    if (!block) return [];
    const name = this.nameOf(row);
    const isBlocked = block.is(row);
    const run = () =>
      void this.act(
        () => block.set(this.session.routes, row, !isBlocked),
        isBlocked ? t('{0} may call again', name) : t('{0} is blocked', name),
      );
    return isBlocked
      ? [{ id: 'unblock', label: t('Unblock'), icon: 'pass', run }]
      : [{ id: 'block', label: t('Block'), icon: 'circle-slash', run }];
  }

  #remove(row: T): void {
    const name = this.nameOf(row);
    confirmDialog({
      title: t('Delete {0}?', name),
      words: this.kind.removeWords(),
      button: t('Delete'),
      act: async () => {
        await this.kind.remove(this.session.routes, row);
        this.tell(t('{0} was deleted', name));
        await this.list.run();
      },
    });
  }

  protected override async edit(row?: T): Promise<void> {
    const { kind, session } = this;
    const lookups = await readLookups(session.routes);
    const groups = kind.form(lookups, row);
    if (row && (isConfigured(row) || !session.mayWrite))
      return openRecord(this.nameOf(row), whyFixed(row), groups, row as Values);
    openForm(row ? t('Edit {0}', this.nameOf(row)) : (this.words().create ?? ''), {
      groups: () => groups,
      ...(row ? { kept: row as Values } : kind.initial && { initial: kind.initial }),
      submit: async (body) => {
        await kind.save(session.routes, body, row);
        this.tell(row ? t('{0} was saved', this.nameOf(row)) : t('Saved'));
        await this.list.run();
      },
    });
  }
}
