export { ErrorCodes } from 'vscode-jsonrpc/node';

/** Of the language server protocol, which vscode-languageclient understands. */
export const LSPErrorCodes = { RequestCancelled: -32800 } as const;
