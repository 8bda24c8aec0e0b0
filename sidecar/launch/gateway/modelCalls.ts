/** A call to a model that the gateway has not sent yet. */
export interface WaitingModelCall {
  /** The name that the caller used. */
  readonly model: string;
  /** Identifies the sub-agent that makes the call. Absent: the agent makes it itself, or that is unknown. */
  readonly subAgent?: string;
  /** The maximum cost in US dollars; 0 if it is not known. */
  readonly dollars: number;
  /** Other models that can serve the call at a known lower cost. */
  readonly cheaper: () => Promise<readonly CheaperModel[]>;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

export interface CheaperModel {
  readonly model: string;
  /** The maximum cost of the call in US dollars. */
  readonly dollars: number;
}

/** A call that can be sent. */
export interface AdmittedModelCall {
  /** One of {@link WaitingModelCall.cheaper}, which serves the call instead; absent for the model that the caller used. */
  readonly model?: string;
  readonly end: EndModelCall;
}

/** Call it once. @param dollars the cost of the call; `undefined` if it was not made */
export type EndModelCall = (dollars: number | undefined) => void;
