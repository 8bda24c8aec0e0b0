import * as z from 'zod';
import type { HttpRequest } from '../../platform/httpMessages.ts';
import type { signedInByToken } from '../../protocol/gateway/people.ts';
import type { CallContext, Caller } from '../auth/caller.ts';
import type { Method } from '../routing/route.ts';
import type { ManagementDeps } from './managementDeps.ts';
import { checkParameters, parse } from './read.ts';

/** Who did it, for stamps and audit rows. */
export interface Actor {
  /** The user of the key, else the hash of the key. */
  readonly id: string;
  /** What the header `x-gateway-changed-by` said; believed for nothing. */
  readonly changedBy: string | undefined;
  /** The email address of the user, if there is one. */
  readonly email: string | undefined;
  readonly signedInBy: 'key' | 'sign_in' | 'scim' | ReturnType<typeof signedInByToken>;
}

/** One request of a management route, read. */
export interface Call<Q = unknown, B = unknown> {
  readonly query: Q;
  readonly body: B;
  /** Values of `{name}` in the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly caller: Caller;
  readonly context: CallContext;
  readonly request: HttpRequest;
  readonly actor: Actor;
}

export interface Answer {
  readonly status: number;
  /** Becomes JSON; a text or a stream is sent as it is. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface RouteFacts {
  readonly method: Method;
  /** A template, as `/key/{key}/regenerate`. */
  readonly path: string;
  /** `viewer`: administrators, and those who may only look. Handlers of `any` decide for themselves. */
  readonly who: 'admin' | 'viewer' | 'any';
  readonly summary: string;
  readonly tag: string;
  /** Changes nothing, whatever its method: who may only look may use it. */
  readonly isRead?: boolean;
  /** Of the answer that is not an error; for the OpenAPI document. */
  readonly status?: number;
}
interface Spec<Q extends z.ZodType, B extends z.ZodType> extends RouteFacts {
  readonly query?: Q;
  readonly body?: B;
  readonly answer?: z.ZodType;
  handle(call: Call<z.output<Q>, z.output<B>>, deps: ManagementDeps): Promise<Answer>;
}

export interface Route extends RouteFacts {
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  readonly answer: z.ZodType | undefined;
  /** Reads query and body by their schemas, and answers. @throws {Fault} */
  run(call: Call, deps: ManagementDeps): Promise<Answer>;
}

/** One row of the table of routes. */
export function route<Q extends z.ZodType = z.ZodUnknown, B extends z.ZodType = z.ZodUnknown>(spec: Spec<Q, B>): Route {
  const { query, body, answer, handle, ...facts } = spec;
  return {
    ...facts,
    query,
    body,
    answer,
    async run(call, deps) {
      if (facts.method === 'GET') checkParameters(query, call.query);
      const read = { query: parse(query ?? anything, call.query), body: parse(body ?? anything, call.body) };
      return handle({ ...call, ...read } as Call<z.output<Q>, z.output<B>>, deps);
    },
  };
}
const anything = z.unknown();

export const ok = (body: unknown, status = 200): Answer => ({ status, body });
