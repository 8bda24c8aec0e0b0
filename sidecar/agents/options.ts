import type { ConversationAbilities } from './conversations.ts';

/** What can be chosen in a session of an agent, and what holds now. */
export interface SessionOptions {
  readonly models: readonly ModelOption[];
  readonly model?: string;
  readonly properties: readonly OptionProperty[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** It can work in more folders than one, which it says only when it was started. */
  readonly severalFolders?: boolean;
  /** It lists the conversations that it keeps, which it says only when it was started. */
  readonly conversations?: ConversationAbilities;
  /** What a prompt may hold besides text and links to files. */
  readonly prompts?: { readonly images: boolean; readonly files: boolean };
  /** What can be set besides choices of one word, as the schema of a form, with the values that hold now. */
  readonly form?: OptionForm & {
    readonly values: Readonly<Record<string, unknown>>;
    /** By field: the values with which the agent acts without asking. */
    readonly deciding?: Readonly<Record<string, readonly unknown[]>>;
  };
}
export interface ModelOption {
  readonly id: string;
  readonly name: string;
  /** Whether the person may use it. Absent: yes. */
  readonly policyState?: 'enabled' | 'disabled' | 'unconfigured';
  /** What can be set for this model alone. */
  readonly form?: OptionForm;
}
export type Primitive = string | number | boolean | null;
/** The protocol's `ConfigSchema`. */
export interface OptionForm {
  readonly properties: Record<string, OptionField>;
  readonly required?: string[];
}
/** The protocol's SessionConfigPropertySchema. */
export interface OptionField {
  type: 'string' | 'number' | 'boolean' | 'array' | 'object';
  title: string;
  description?: string;
  default?: unknown;
  enum?: Primitive[];
  enumLabels?: string[];
  enumDescriptions?: string[];
  readOnly?: boolean;
  items?: OptionField;
  properties?: Record<string, OptionField>;
  required?: string[];
  additionalProperties?: OptionField;
  /** There are more values than `enum` holds: `AgentSession.completeOption` knows them. */
  enumDynamic?: boolean;
  sessionMutable?: boolean;
}
export interface OptionQuery {
  readonly property: string;
  /** What was typed so far; empty for what is usual. */
  readonly query: string;
  readonly config: Readonly<Record<string, unknown>>;
}
export interface OptionSuggestion {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}
/** One choice the agent offers (a mode, a thinking level). Becomes one property of the session's config schema. */
export interface OptionProperty {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly values: readonly {
    readonly id: string;
    readonly label: string;
    readonly description?: string;
    /** In this mode the agent acts without asking: shown as such, and a second click to enter. */
    readonly agentDecides?: boolean;
  }[];
  readonly value: string;
}
