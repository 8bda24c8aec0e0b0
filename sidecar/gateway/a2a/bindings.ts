import type { A2aAnswer, A2aRequest } from '../../protocol/gateway/a2aWire.ts';
import type { NamedEvent } from '../backends/mcp/eventStream.ts';
import type { Refusal } from './refusal.ts';

/** The bindings of A2A that the gateway relays. */
const bindings = ['JSONRPC', 'HTTP+JSON'] as const;
export type BindingName = (typeof bindings)[number];

export const bindingOf = (value: unknown): BindingName | undefined =>
  bindings.find((it) => it === String(value).toUpperCase());

/** A request to an agent. */
export interface Written {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly body?: string;
  /** The media type of the body. */
  readonly type?: string;
}

/** How calls are written, and answers read. Access, limits, and records do not depend on it. */
export interface Binding {
  readonly name: BindingName;
  /** For A2A 0.3 and earlier. */
  readonly isLegacy: boolean;
  readonly accept: string;
  /** @param base where the agent takes calls */
  write(request: A2aRequest, base: string): Written;
  /** @returns `undefined` for a text that is not an answer, or that parsers could read differently */
  readAnswer(text: string, status: number): A2aAnswer | undefined;
  readEvent(event: NamedEvent): A2aAnswer | undefined;
  /** The answer with another result. */
  rewrite(answer: A2aAnswer, result: unknown): string;
  /** An error of the gateway as the last event of a stream. */
  lastEvent(refusal: Refusal): string;
}
