import type { AdmittedModelCall, WaitingModelCall } from '../../launch/gateway/modelCalls.ts';

/** Decides about calls to models, by the hash of the key that they come with. */
export interface ModelGate {
  /** Whether the cost of the key's calls has to be known before them. */
  limitsCost(token: string): boolean;
  /** @returns `undefined` where nobody needs to decide @throws {Fault} where the call is refused */
  admit(token: string, call: WaitingModelCall): Promise<AdmittedModelCall> | undefined;
}
