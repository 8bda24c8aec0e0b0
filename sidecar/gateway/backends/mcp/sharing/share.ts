/** With whom a session shares the process of a stdio server. */
export interface Share {
  /** The same for sessions that share: who they are, and how their clients introduce themselves. */
  readonly group: string;
  /** Whose session it is: what one caller's calls bring about is not told another one. */
  readonly caller: string;
  /** Nobody chose it: sessions of a server that asks its clients back get a process each. */
  readonly isDefault: boolean;
  /** Callers share it with each other. */
  readonly isForAll: boolean;
}
