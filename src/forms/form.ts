import type { ConfigValues, SessionConfigPropertySchema } from '../../sidecar/protocol/configSchemas.ts';

/** A property with everything that it may say of itself. */
export type Field = SessionConfigPropertySchema;

export interface Suggestion {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** What a person sets in one place: the schema that somebody gave, the values that hold, and what a change does. */
export interface FormSection {
  /** Above the fields, where a form has several sections. */
  readonly title: string;
  readonly schema: { readonly properties: Readonly<Record<string, Field>>; readonly required?: readonly string[] };
  readonly values: ConfigValues;
  /** Whether this field can be changed now; others are shown, and locked. */
  mayChange(field: Field): boolean;
  /** Rejects with a reason for a person. */
  change(id: string, value: unknown): Promise<void>;
  /** Values of a field with `enumDynamic` that go with what was typed. */
  complete?(id: string, query: string): Promise<readonly Suggestion[]>;
}

/** Read again after every change: a change may bring other fields. */
export interface Form {
  readonly title: string;
  read(): readonly FormSection[];
}
