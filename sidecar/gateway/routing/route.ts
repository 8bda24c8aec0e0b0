import type * as z from 'zod';
import { Fault } from '../../platform/faults.ts';
import type { HttpRequest, HttpResponse } from '../../platform/httpMessages.ts';
import type { CallContext } from '../auth/caller.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** The part of the gateway that a request is for. */
export type Surface = 'public' | 'mcp' | 'rest' | 'a2a' | 'cloudagents' | 'models' | 'management';
/** What `allowed_routes` of a key may name beside paths. */
export type RouteGroup =
  | 'llm_api_routes'
  | 'mcp_routes'
  | 'model_routes'
  | 'agent_routes'
  | 'passthrough_routes'
  | 'management_routes'
  | 'info_routes';

/** One operation of the OpenAPI document. */
export interface Operation {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly query?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  readonly answer?: z.ZodType | undefined;
  /** Of the answer that is not an error. Default: 200. */
  readonly status?: number | undefined;
  /** Default: every key. */
  readonly who?: 'admin' | 'viewer' | 'any' | undefined;
}

/** One row of the table of routes: everything that is decided about a request by its method and path. */
export interface Route {
  /** `ANY`: whatever the others of this path do not have. */
  readonly method: Method | 'ANY';
  /** `{name}` is one segment, or the part of one before a suffix; `/**` at the end is everything that follows, or nothing. */
  readonly path: string;
  readonly surface: Surface;
  /** Who is asked for: nobody; a key; a key, or a browser that signed in with one. */
  readonly auth: 'none' | 'key' | 'browser';
  readonly groups: readonly RouteGroup[];
  /** Its name in `allowed_routes`, and in the log of calls that it refuses. Default: the path. */
  readonly template?: string;
  /** Under what requests without a known key are counted. Default: the template. */
  readonly countedAs?: string;
  /** `allowed_routes` holds for keys of the role `proxy_admin` too. */
  readonly limitsAdminKeys?: boolean;
  /** The requirements that say what it is for. */
  readonly requirements: readonly string[];
  /** Its part of the OpenAPI document, or why it has none. */
  readonly openapi: readonly Operation[] | string;
  /** The format of errors. Default: OpenAI's, which is also the gateway's own. */
  readonly dialect?: 'messages' | 'gemini';
  /**
   * Words of the path that a request has to write as they stand here, without percent-encoding: all of them, and no slash at
   * the end; or those in front of the first parameter.
   */
  readonly spelled?: 'whole' | 'root';
  /** What parameters may be. A request with others goes to the next row that fits. */
  accepts?(params: Params): boolean;
}

/** Of a path, decoded; `rest` is what stands for `/**`, as it was on the wire. */
export type Params = Readonly<Record<string, string>>;

/** What is known of a request that nobody signed. */
export interface PublicContext {
  /** As the client reaches us, without a slash at its end. */
  readonly baseUrl: string;
  readonly cookie: string | undefined;
  readonly clientAddress: string;
}

/** A request with its row, as the handler of the row gets it. */
export interface RouteCall<Context = CallContext> {
  readonly request: HttpRequest;
  readonly context: Context;
  readonly params: Params;
  readonly route: Route;
  /** As it stood on the wire, to be repeated and not to be read. */
  readonly pathname: string;
}

/** A row that asks for nobody, with its handler. @throws {Fault} */
export interface PublicRoute<Room> extends Route {
  readonly auth: 'none';
  handle(call: RouteCall<PublicContext>, room: Room): HttpResponse | Promise<HttpResponse>;
}

/** A row that asks for a key, with its handler. @throws {Fault} */
export interface KeyRoute<Room> extends Route {
  readonly auth: 'key' | 'browser';
  handle(call: RouteCall, room: Room): HttpResponse | Promise<HttpResponse>;
}

export const templateOf = ({ template, path }: Route): string => template ?? path;
export const countedAs = (route: Route): string => route.countedAs ?? templateOf(route);

/** The handler of addresses that have a row only so that they are judged as their neighbours are. */
export function noSuchAddress(): never {
  throw new Fault('not_found', 'No such address.');
}

/** A parameter that is encoded twice may be read twice, as two things. */
export const isEncodedOnce = (parameter: string | undefined): boolean => parameter?.includes('%') !== true;
