/** What can be wrong with a message itself (JSON-RPC 2.0). */
export const ErrorCodes = { ParseError: -32700, InvalidRequest: -32600, MethodNotFound: -32601 } as const;

/** Of the language server protocol, which vscode-languageclient understands. */
export const LSPErrorCodes = { RequestCancelled: -32800 } as const;
