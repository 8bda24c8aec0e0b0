/** The ways in which programs talk to models. */
export type ModelDialect = 'chat' | 'responses' | 'messages' | 'gemini';

/** Models that an agent reaches under a key of its chat. The key is secret: nothing of it is logged. */
export interface SessionModels {
  /** Without a slash at the end. */
  readonly url: string;
  readonly key: string;
  /** A name that ends in `*` serves every name that starts so. */
  readonly models: readonly { readonly name: string; readonly dialects: readonly ModelDialect[] }[];
}

/**
 * What a person wants for an agent: the gateway's models under a key of its chat; its own keys and sign-in; or the gateway's
 * where it can use them and nobody signed in to a subscription.
 */
export type ModelChoice = 'auto' | 'gateway' | 'own';

export interface ModelAccess {
  readonly choice: ModelChoice;
  /** Makes that key, so it is asked only where the agent can use one. `undefined` where there is no model. */
  offered(): Promise<SessionModels | undefined>;
}

/** Where an agent's calls to models go. */
export type ModelsThrough = 'gateway' | 'own';
