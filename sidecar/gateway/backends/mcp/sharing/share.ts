/** With whom a session shares the process of a stdio server. */
export interface Share {
  /** Sessions with the same value share: it covers the caller and the client's capabilities. */
  readonly group: string;
  /** Whose session it is. Messages about one caller's calls never reach another caller. */
  readonly caller: string;
  /** Not configured: if the server asks its clients for something, each new session gets its own process. */
  readonly isDefault: boolean;
  /** Callers share it with each other. */
  readonly isForAll: boolean;
}
