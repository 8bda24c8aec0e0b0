/** The formats of calls to models. */
export type ModelDialect = 'chat' | 'responses' | 'messages' | 'gemini';

/** Models that an agent calls with its chat key, which is secret and never logged. */
export interface SessionModels {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string;
  /** A name that ends in `*` serves every name that starts with the part before it. */
  readonly models: readonly {
    readonly name: string;
    readonly dialects: readonly ModelDialect[];
    /** The input token limit. Absent if it is not known. */
    readonly context?: number;
  }[];
}

/** The models that can be chosen. A name that ends in `*` stands for other names. */
export const namesOf = (models: SessionModels['models']): readonly string[] =>
  models.map((it) => it.name).filter((it) => !it.endsWith('*'));

/**
 * Where an agent should get its models: `gateway`, with a chat key; `own`, with its own keys and sign-in; `auto`, from the
 * gateway if the agent can use its models and nobody signed in to the agent's own subscription.
 */
export type ModelChoice = 'auto' | 'gateway' | 'own';

export interface ModelAccess {
  readonly choice: ModelChoice;
  /** Creates the chat key, so it is called only for an agent that can use one. `undefined` if there are no models. */
  offered(): Promise<SessionModels | undefined>;
}

/** Where an agent's calls to models go. */
export type ModelsThrough = 'gateway' | 'own';
