/** Something that holds of the product did not. */
export class Violation extends Error {
  override readonly name = 'Violation';
  /** After which it was seen. */
  readonly step: number;

  constructor(what: string, step: number) {
    super(what);
    this.step = step;
  }
}
