import type { OptionField, OptionProperty, OptionSuggestion, SessionOptions } from '../../agents/options.ts';
import type { SessionModelInfo } from '../../protocol/channels/root/schema.ts';
import { AGENT_DECIDES } from '../../protocol/channels/session/permissionDial.ts';
import type { ConfigValues, SessionConfigPropertySchema, SessionConfigState } from '../../protocol/configSchemas.ts';
import { changeProblem, valueProblem } from '../../protocol/configValues.ts';
import { defaultOf } from './modes/askingModes.ts';
import { refuseDial } from './modes/permissionDial.ts';

/** A choice of more values than this is not listed: some of them are, and the rest is found by typing. */
const LISTED = 50;
const SEEDS = 20;

/** What an agent offers, as the session's config: its choices, changeable while the session lives, and its form. */
export function toConfig(options: SessionOptions, chosen: ConfigValues): SessionConfigState {
  const properties: Record<string, SessionConfigPropertySchema> = {};
  const values: ConfigValues = {};
  for (const it of options.properties) {
    properties[it.id] = toProperty(it);
    const own = chosen[it.id];
    values[it.id] = it.values.some((value) => value.id === own) ? own : it.value;
  }
  for (const [id, field] of Object.entries(options.form?.properties ?? {})) {
    const { [id]: deciding } = options.form?.deciding ?? {};
    properties[id] = toField(field, deciding);
    const own = chosen[id];
    const isFit = own !== undefined && field.readOnly !== true && valueProblem(field, own, id) === undefined;
    const value = isFit ? own : (options.form?.values[id] ?? field.default);
    if (value !== undefined) values[id] = value;
  }
  const { required } = options.form ?? {};
  return { schema: { type: 'object', properties, ...(required && { required }) }, values };
}

/** Marked where the agent acts without asking, and never so by default. */
function toField(field: OptionField, deciding: readonly unknown[] | undefined): OptionField {
  if (!deciding) return field;
  const { default: usual, ...rest } = field;
  const mark = (described: string | undefined) => `${AGENT_DECIDES}${described ?? ''}`;
  const { enum: listed, enumDescriptions = [], description } = field;
  return {
    ...rest,
    ...(usual !== undefined && !deciding.includes(usual) && { default: usual }),
    ...(deciding.includes(true) && { description: mark(description) }),
    ...(listed && {
      enumDescriptions: listed.map((it, at) =>
        deciding.includes(it) ? mark(enumDescriptions[at]) : (enumDescriptions[at] ?? ''),
      ),
    }),
  };
}

function toProperty(option: OptionProperty): SessionConfigPropertySchema {
  const { title, description, values } = option;
  const isLong = values.length > LISTED;
  const shown = isLong ? seedsOf(option) : values;
  return {
    type: 'string',
    title,
    ...(description !== undefined && { description }),
    default: defaultOf(option),
    enum: shown.map((it) => it.id),
    enumLabels: shown.map((it) => it.label),
    enumDescriptions: shown.map(describe),
    ...(isLong && { enumDynamic: true }),
    sessionMutable: true,
  };
}

/** What holds now, and the first of the others. */
function seedsOf({ value: current, values }: OptionProperty): OptionProperty['values'] {
  const now = values.filter((it) => it.id === current);
  return [...now, ...values.filter((it) => it.id !== current).slice(0, SEEDS - now.length)];
}

const describe = (it: OptionProperty['values'][number]): string =>
  `${it.agentDecides ? AGENT_DECIDES : ''}${it.description ?? ''}`;

/** A field whose values are all in its schema, as a choice. */
export function listed({ title, enum: values = [], enumLabels, enumDescriptions }: OptionField): OptionProperty {
  return {
    id: title,
    title,
    value: '',
    values: values.map((value, at) => {
      const description = enumDescriptions?.[at];
      return {
        id: String(value),
        label: enumLabels?.[at] ?? String(value),
        ...(description !== undefined && { description }),
      };
    }),
  };
}

/** Values of a choice that go with what was typed. */
export function suggestionsFrom({ values }: OptionProperty, query: string): OptionSuggestion[] {
  const typed = query.toLowerCase();
  return values
    .filter((it) => it.label.toLowerCase().includes(typed) || it.id.toLowerCase().includes(typed))
    .map((it) => {
      const description = describe(it);
      return { value: it.id, label: it.label, ...(description !== '' && { description }) };
    });
}

/** The host's own choice besides those of the agent. */
export const WORKTREE = 'worktree';

/** Offered where the folder of a new session is in a repository; it cannot be changed later. */
export function withWorktree({ schema, values }: SessionConfigState, chosen: ConfigValues): SessionConfigState {
  const property: SessionConfigPropertySchema = {
    type: 'boolean',
    title: 'Separate worktree',
    description: 'Work in a Git worktree on its own branch, next to the repository.',
    default: false,
  };
  return {
    schema: { ...schema, properties: { ...schema.properties, [WORKTREE]: property } },
    values: { ...values, [WORKTREE]: chosen[WORKTREE] === true },
  };
}

/** @param usual the model of a new conversation in which nobody chose one */
export function toModels(
  provider: string,
  options: Pick<SessionOptions, 'models'>,
  usual: string | undefined,
): SessionModelInfo[] {
  return options.models.map(({ id, name, policyState, form }) => ({
    id,
    provider,
    name,
    ...(policyState !== undefined && { policyState }),
    ...(form && { configSchema: { type: 'object', ...form } }),
    ...(id === usual && { _meta: { isDefault: true } }),
  }));
}

/**
 * Why the config of a session that is there cannot be changed so, or `undefined`.
 * @param isLetIn whether the client was let in by a credential
 */
export function refuseConfig(
  state: SessionConfigState,
  config: ConfigValues,
  replace: boolean | undefined,
  isLetIn: boolean,
) {
  return (
    changeProblem(state, config, replace, (it) => it.readOnly !== true && it.sessionMutable === true) ??
    refuseDial(state, replace === true ? config : { ...state.values, ...config }, isLetIn)
  );
}

/** Why a message cannot ask for this model, or `undefined`. A model that nobody listed is the agent's to judge. */
export function refuseModel(models: readonly SessionModelInfo[], id: string | undefined): string | undefined {
  const { policyState } = models.find((it) => it.id === id) ?? {};
  return policyState === undefined || policyState === 'enabled'
    ? undefined
    : 'message.model.id: this model is not allowed';
}
