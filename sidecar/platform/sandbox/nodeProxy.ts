import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes a Node.js program use the proxy of its environment from the first time that it uses the network. Node.js does the same by
 * itself if NODE_USE_ENV_PROXY is set, but then loads its HTTP client at each start: 40 ms for each program, most of which never
 * use the network.
 * @see https://nodejs.org/api/http.html#httpsetglobalproxyfromenvproxyenv
 */
const SCRIPT = `'use strict';
let isSet = false;
function setProxy() {
  if (isSet) return;
  isSet = true;
  require('node:http').setGlobalProxyFromEnv?.();
}
const { fetch } = globalThis;
if (fetch)
  globalThis.fetch = (...args) => {
    setProxy();
    return fetch(...args);
  };
require('node:module').registerHooks?.({
  resolve(specifier, context, next) {
    if (/^(?:node:)?https?$/.test(specifier)) setProxy();
    return next(specifier, context);
  },
});
`;

/** @param folder where programs of the sandbox can read, and cannot write @returns the path of the script */
export function writeNodeProxy(folder: string): string {
  const path = join(folder, 'node-proxy.cjs');
  writeFileSync(path, SCRIPT, { mode: 0o600 });
  return path;
}

/** The line of a shell that has Node.js run the script first. Node.js reads quotes in NODE_OPTIONS. */
export function exportNodeProxy(script: string, shellWord: (text: string) => string): string {
  const quoted = `"${script.replaceAll(/["\\]/g, (it) => `\\${it}`)}"`;
  return `export NODE_OPTIONS=${shellWord(`--require=${quoted}`)}"\${NODE_OPTIONS:+ $NODE_OPTIONS}"`;
}
