/** Why something did not work, in a whole sentence for a person. No secret is in it. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** The field that is wrong, as the gateway calls it. */
  readonly param: string | undefined;
  /** Of the HTTP answer, where there was one. */
  readonly status: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly param?: string; readonly status?: number } = {}) {
    super(message, options);
    this.param = options.param;
    this.status = options.status;
  }
}
