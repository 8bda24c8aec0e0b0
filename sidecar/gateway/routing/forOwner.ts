/** A worker of the gateway does not answer this request: its owner does. */
export class ForOwner extends Error {
  override readonly name = 'ForOwner';
  /** The body, which was read. */
  readonly body: string | Uint8Array;

  constructor(body: string | Uint8Array) {
    super('for the owner of the workers');
    this.body = body;
  }
}
