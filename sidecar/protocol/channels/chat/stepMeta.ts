/**
 * `_meta` of the error or the notification with which a turn stopped at a step. A client can offer to repeat the step or to
 * skip it, and sends the word as a message. It then leaves out the hint, which is a part of the text.
 */
export interface StepMeta {
  readonly retryWith: string;
  readonly skipWith: string;
  readonly hint: string;
}
