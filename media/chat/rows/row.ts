import type { PropertyDeclarations } from 'lit';
import { LightElement } from '../../shared/lightElement.ts';

/** A row of the transcript. It is empty until it is drawn, which for a row out of sight is later. */
export abstract class RowElement<R> extends LightElement {
  static override properties: PropertyDeclarations = { row: { attribute: false } };
  declare row: R;

  /** Draws at once, so that what is drawn together is laid out together. */
  draw(row: R): void {
    this.row = row;
    this.performUpdate();
  }

  protected override shouldUpdate(): boolean {
    return (this.row as R | undefined) !== undefined;
  }
}
