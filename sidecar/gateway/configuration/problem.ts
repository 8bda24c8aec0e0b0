/** Something wrong in the configuration, at a place in its text. */
export interface ConfigProblem {
  /** `mcp_servers.github.credentials.auth_value`; empty for the whole file. */
  readonly path: string;
  /** In words for a person. Never quotes a value, which may be a secret in the wrong place. */
  readonly message: string;
  /**
   * `syntax`: it is no JSON with comments. `shape`: the JSON schema says the same. `rule`: only the gateway knows. A `warning`
   * leaves the file in use.
   */
  readonly kind: 'syntax' | 'shape' | 'rule' | 'warning';
  /** In UTF-16 units from the start of the text, as an editor counts. */
  readonly offset: number;
  readonly length: number;
}

/** The same before its place in the text is known. */
export interface Finding {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly kind: ConfigProblem['kind'];
  /** Marks the name of the member and not its value. */
  readonly atName?: boolean;
}
