import type { SmallFetch } from '../net/smallFetch.ts';
import type { McpRegistration } from '../registration.ts';

/** The guarded way to the authorization server of a backend: what the backend itself may not reach, it may not either. */
export type FetchFor = (server: McpRegistration) => SmallFetch;
