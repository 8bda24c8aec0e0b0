import * as z from 'zod';
import { jsonRpcErrors } from './jsonRpcErrors.ts';
import { ProtectedResourceMetadata } from './shared.ts';

/** JSON-RPC numbers (`host.error.…`). -32011 and -32012 are our extensions, outside the protocol's -32001 to -32010. */
export const errorCodes = {
  ParseError: jsonRpcErrors.parse,
  InvalidRequest: jsonRpcErrors.invalidRequest,
  MethodNotFound: jsonRpcErrors.methodNotFound,
  InvalidParams: jsonRpcErrors.invalidParams,
  InternalError: jsonRpcErrors.internal,
  SessionNotFound: -32001,
  ProviderNotFound: -32002,
  SessionAlreadyExists: -32003,
  TurnInProgress: -32004,
  UnsupportedProtocolVersion: -32005,
  ContentNotFound: -32006,
  AuthRequired: -32007,
  NotFound: -32008,
  PermissionDenied: -32009,
  AlreadyExists: -32010,
  Conflict: -32011,
  /** What was asked for cannot be done now, for a reason that the message says: a full disk, Git, an agent that is away. */
  Unavailable: -32012,
} as const;
export type ErrorName = keyof typeof errorCodes;
export type ErrorCode = (typeof errorCodes)[ErrorName];

/** `data` of -32005. Each entry is a version or a range. */
export const UnsupportedVersionData = z.object({ supportedVersions: z.array(z.string()) });
export type UnsupportedVersionData = z.infer<typeof UnsupportedVersionData>;

/** `data` of -32007. */
export const AuthRequiredData = z.object({ resources: z.array(ProtectedResourceMetadata) });
export type AuthRequiredData = z.infer<typeof AuthRequiredData>;

export const ResourceRequestParams = z.object({
  channel: z.string().min(1),
  uri: z.string().min(1),
  read: z.boolean().exactOptional(),
  write: z.boolean().exactOptional(),
});
export type ResourceRequestParams = z.infer<typeof ResourceRequestParams>;
/** `data` of -32009. Without `request` no grant would help. */
export const PermissionDeniedData = z.object({ request: ResourceRequestParams.exactOptional() });
export type PermissionDeniedData = z.infer<typeof PermissionDeniedData>;
