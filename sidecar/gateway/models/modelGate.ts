/** A call that waits to be sent. */
export interface GatedCall {
  /** By the name that the caller used. */
  readonly model: string;
  /** US dollars that it can cost at most; 0 where that is not known. */
  readonly dollars: number;
  /** Other models that could serve the call at a known lower cost. */
  readonly cheaper: () => Promise<readonly CheaperModel[]>;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}
export interface CheaperModel {
  readonly model: string;
  /** US dollars that the call can cost at most. */
  readonly dollars: number;
}
/** To be called once. @param dollars that the call cost; `undefined`: it was not made */
export type EndCall = (dollars: number | undefined) => void;
export interface AdmittedCall {
  /** One of {@link GatedCall.cheaper}, which serves the call instead. Absent: the model that the caller used. */
  readonly model?: string;
  readonly end: EndCall;
}

/** Decides about calls to models, by the hash of the key that they come with. */
export interface ModelGate {
  /** Whether the cost of the key's calls has to be known before them. */
  limitsCost(token: string): boolean;
  /** @returns `undefined` where nobody needs to decide @throws {Fault} where the call is refused */
  admit(token: string, call: GatedCall): Promise<AdmittedCall> | undefined;
}
