/** The formats in which programs call models. The gateway relays each format unchanged and does not translate between them. */
export const modelDialects = ['chat', 'responses', 'messages', 'gemini'] as const;
export type ModelDialect = (typeof modelDialects)[number];

/** A provider of models. */
export interface ModelProviderDefinition {
  /** A product name, so it is not translated. */
  readonly label: string;
  /** Other names for it in `model`. */
  readonly aliases?: readonly string[];
  /**
   * The dialects that it supports, with the path that follows its address. `{model}` is the provider's name for the model, and
   * `{version}` is the API version in the caller's path.
   */
  readonly dialects: Readonly<Partial<Record<ModelDialect, string>>>;
  /** Its address; absent if each model has to set one. */
  readonly apiBase?: string;
  /** The header that contains the credential, and the scheme before the credential. */
  readonly auth: { readonly header: string; readonly scheme?: string };
  /** Calls without a credential are refused. */
  readonly needsKey: boolean;
  /** Headers that are added if the caller does not send them. */
  readonly addedHeaders?: Readonly<Record<string, string>>;
  /** Headers of callers that are forwarded to it, in lower case. */
  readonly requestHeaders: readonly string[];
  /** Headers of its responses that are forwarded to callers, in lower case. */
  readonly responseHeaders: readonly string[];
  /** Environment variables that can contain its key, in order of preference. */
  readonly variables: readonly string[];
  /** Its name in the price table; absent if its models are free or their prices are not known. */
  readonly prices?: string;
}

/** Checks a definition, and keeps its literal types. */
export const defineProvider = <const D extends ModelProviderDefinition>(definition: D): D => definition;
