/** The ways in which programs talk to models. The gateway relays each of them as it is, and translates none into another. */
export const modelDialects = ['chat', 'responses', 'messages', 'gemini'] as const;
export type ModelDialect = (typeof modelDialects)[number];

/** One field of the form that stores a credential of a provider. */
export interface ProviderField {
  readonly name: string;
  readonly label: string;
}

/** What everybody knows of one provider of models. */
export interface ModelProviderDefinition {
  /** A product name, so it is not translated. */
  readonly label: string;
  /** Other names that it is called by in `model`. */
  readonly aliases?: readonly string[];
  /**
   * The dialects that it speaks, with the path of each behind its address. `{model}` is the provider's name of the model,
   * and `{version}` that of the path at which the caller asks.
   */
  readonly dialects: Readonly<Partial<Record<ModelDialect, string>>>;
  /** Its address; absent where each model has to name one. */
  readonly apiBase?: string;
  /** The header that holds the credential, and the word in front of it. */
  readonly auth: { readonly header: string; readonly scheme?: string };
  /** Calls without a credential are refused. */
  readonly needsKey: boolean;
  /** Headers that it needs where the caller does not send them. */
  readonly addedHeaders?: Readonly<Record<string, string>>;
  /** Headers of callers that go to it, in lower case. */
  readonly requestHeaders: readonly string[];
  /** Headers of its answers that go to callers, in lower case. */
  readonly responseHeaders: readonly string[];
  /** Environment variables that hold its key, in the order in which they are asked. */
  readonly variables: readonly string[];
  /** Its name in the table of prices; absent where nothing has to be paid, or nobody knows what. */
  readonly prices?: string;
}

/** Checks a definition, and keeps what is known of its members. */
export const defineProvider = <const D extends ModelProviderDefinition>(definition: D): D => definition;
