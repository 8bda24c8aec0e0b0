/**
 * Node's modules for HTTP, without the facade that `import` makes of them: it reads every export, and reading one of those of
 * `node:http` loads a whole HTTP client, which takes longer than all else that a start does.
 */
export const http = process.getBuiltinModule('node:http');

/** Loaded when somebody listens with a certificate. */
export const loadHttps = () => process.getBuiltinModule('node:https');
