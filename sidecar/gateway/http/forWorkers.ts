import type { Route } from '../routing/route.ts';
import type { IncomingRequest } from './incomingRequest.ts';

/**
 * What a worker judges itself: calls to models, and messages to MCP servers that need no session. Everything else lasts longer
 * than a call, or is rare, and its owner answers it.
 */
export const isForWorkers = ({ surface, path }: Route, { method, headers }: IncomingRequest): boolean =>
  method === 'POST' &&
  (surface === 'models' || (surface === 'mcp' && !path.endsWith('/sse') && headers.get('mcp-session-id') === null)) &&
  headers.get('cookie') === null;
