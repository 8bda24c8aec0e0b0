import type { EditorModel } from '../protocol/channels/root/editorModels.ts';

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

/** The models that can be chosen. Those of the gateway come first. */
export const optionsOf = (models: SessionModels['models'], editorModels: readonly EditorModel[]) => [
  ...namesOf(models).map((it) => ({ id: it, name: it })),
  ...editorModels.map(({ id, name }) => ({ id, name })),
];

/**
 * Where an agent should get its models: `gateway`, with a chat key; `own`, with its own keys and sign-in; `auto`, from the
 * gateway if the agent can use its models and nobody signed in to the agent's own subscription.
 */
export type ModelChoice = 'auto' | 'gateway' | 'own';

/** Models that the editor offers in the window of a session, which alone can call them. */
export interface EditorModels {
  list(): readonly EditorModel[];
  /**
   * Sends the requests of one call to the window.
   * @returns a function that settles with the unchecked answer. It throws a {@link Fault} `unavailable` if the window is away or
   *   does not answer, the error of the window, or the reason of the signal
   */
  open(): (params: object, signal: AbortSignal) => Promise<unknown>;
}

export interface ModelAccess {
  readonly choice: ModelChoice;
  /** Absent: the agent is in no window. */
  readonly editor?: EditorModels;
  /** Creates the chat key, so it is called only for an agent that can use one. `undefined` if there are no models. */
  offered(): Promise<SessionModels | undefined>;
}

/** Where an agent's calls to models go. `editor`: to models of the editor, which reports no usage. */
export type ModelsThrough = 'gateway' | 'editor' | 'own';
