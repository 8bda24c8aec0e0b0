/** What can be wrong with any request (JSON-RPC 2.0, section 5.1). */
export const jsonRpcErrors = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const;
