/** What a peer answered a request with, or what a request is to be answered with. */
export class ResponseError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'ResponseError';
    this.code = code;
    this.data = data;
  }
}
