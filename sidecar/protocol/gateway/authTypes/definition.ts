import type * as z from 'zod';

/** One member of the `credentials` of a server. */
export interface CredentialMember {
  readonly schema: z.ZodType;
  /** For whoever writes the configuration file. */
  readonly description: string;
  /** `always`: forms hide it, and the configuration file says where it lies. `possible`: the file may say that. */
  readonly secret?: 'always' | 'possible';
}

/** One field of a form. What may stand in it is what the schema of the server says. */
export interface AuthField {
  readonly label: string;
  readonly help?: string;
  readonly isRequired?: true;
  /** The editor asks for few things when a server is added: what is required, and what is optional. */
  readonly asked?: 'required' | 'optional';
  /** Has no meaning where the gateway has an account of its own. */
  readonly hiddenWith?: 'client_credentials';
}

/**
 * What everybody knows of one way to authenticate to an MCP server. What it does to a request stands under the same name
 * in `sidecar/gateway/backends/auth`.
 */
export interface AuthTypeDefinition {
  /** Texts for people are marked by `t`. */
  readonly label: string;
  readonly description?: string;
  /** Headers that it writes, lower case: nothing else of the gateway may write them. */
  readonly owns: readonly string[];
  /** Members of `credentials` that it reads. */
  readonly credentials: Readonly<Record<string, CredentialMember>>;
  /** Members of `credentials` without which every call is refused. */
  readonly needs?: readonly string[];
  /** Has no meaning for a program of this machine, which gets no HTTP request: such a server is refused. */
  readonly overHttpOnly?: true;
  /** Fields of its form by their path in the record of a server. */
  readonly fields: Readonly<Record<string, AuthField>>;
  /** Members of the record that the editor sets when a server is added. */
  readonly presets?: Readonly<Record<string, string>>;
}

/** Checks a definition, and keeps what is known of its members. */
export const defineAuthType = <const D extends AuthTypeDefinition>(definition: D): D => definition;
