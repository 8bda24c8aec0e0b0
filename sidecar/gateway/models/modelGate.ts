import type { AdmittedModelCall, WaitingModelCall } from '../../launch/gateway/modelCalls.ts';

/** Decides whether a call to a model can be sent. The token is the hash of the caller's key. */
export interface ModelGate {
  /** Whether the cost of the key's calls must be known in advance. */
  limitsCost(token: string): boolean;
  /** @returns `undefined` if no decision is needed @throws {Fault} if the call is refused */
  admit(token: string, call: WaitingModelCall): Promise<AdmittedModelCall> | undefined;
}
