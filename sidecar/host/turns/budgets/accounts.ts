/** A sum of calls to models, over all days or for one day; or a limit that a person raised. */
export interface Account {
  /** `session <uri>`, `folder <uri>` or `all`; for limits on numbers `sessions`, `sessions <uri>` or `subAgents <uri>`. */
  readonly name: string;
  /** `2026-01-31`; empty: all days. */
  readonly day: string;
}

export const keyOf = ({ name, day }: Account) => `${day} ${name}`;

export const sessionAccount = (session: string): Account => ({ name: `session ${session}`, day: '' });

/** The account of the raised limit on a session's sub-agents. */
export const subAgentAccount = (session: string): Account => ({ name: `subAgents ${session}`, day: '' });
