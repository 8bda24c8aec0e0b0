import type { PropertyDeclarations } from 'lit';
import { LightElement } from '../../shared/lightElement.ts';

/** A row of the transcript. It stays empty until it is drawn. Rows that are not visible are drawn later. */
export abstract class RowElement<R> extends LightElement {
  static override properties: PropertyDeclarations = { row: { attribute: false } };
  declare row: R;

  /** Draws the row immediately, so that all rows of a model share one layout. */
  draw(row: R): void {
    this.row = row;
    this.performUpdate();
  }

  protected override shouldUpdate(): boolean {
    return (this.row as R | undefined) !== undefined;
  }
}
