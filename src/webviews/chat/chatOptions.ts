import type { SessionAction } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { SessionConfigState } from '../../../sidecar/protocol/configSchemas.ts';
import type { Field, FormSection } from '../../forms/form.ts';
import type { Localizer } from '../../platform/localizer.ts';
import type { RestoreState } from '../contract/chatModel.ts';
import type { OpenChat } from './openChat.ts';

/** What can be set for a chat: for its session, and for the model that the next message goes to. */
export function optionSections(l10n: Localizer, chat: OpenChat): FormSection[] {
  return [sessionSection(l10n, chat), modelSection(l10n, chat)].filter((it) => it !== undefined);
}

/** Asks the host to change values of a session that is there. */
export function configure(chat: OpenChat, session: string, config: Readonly<Record<string, unknown>>): void {
  const change: SessionAction = { type: 'session/configChanged', config: { ...config } };
  chat.deps.port.dispatch(session, change);
}

function sessionSection(l10n: Localizer, chat: OpenChat): FormSection | undefined {
  const { session } = chat.chosen;
  const state: SessionConfigState | undefined = chat.session?.config ?? chat.offered;
  if (!state || Object.keys(state.schema.properties).length === 0) return undefined;
  const isThere = session !== undefined && chat.session !== undefined;
  const values = isThere ? state.values : { ...state.values, ...chat.chosen.config };
  return {
    title: l10n.t('Session'),
    schema: state.schema,
    values,
    mayChange: (field) => field.readOnly !== true && (!isThere || field.sessionMutable === true),
    async change(id, value) {
      if (isThere) configure(chat, session, { [id]: value });
      else await chat.resolve({ ...values, [id]: value });
    },
    async complete(property, query) {
      const params = { ...chat.offerParams({ ...values }), property, query };
      return (await chat.deps.port.request('sessionConfigCompletions', params)).items;
    },
  };
}

function modelSection(l10n: Localizer, chat: OpenChat): FormSection | undefined {
  const picker = chat.model().head.composer.pickers.find((it) => it.id === 'model');
  const agent = chat.root?.agents.find((it) => it.provider === chat.chosen.provider);
  const model = agent?.models.find((it) => it.id === picker?.value);
  if (!model?.configSchema) return undefined;
  return {
    title: l10n.t('Model {0}', model.name),
    schema: model.configSchema,
    values: chat.chosen.modelConfig ?? {},
    mayChange: (field: Field) => field.readOnly !== true,
    async change(id, value) {
      const modelConfig = { ...chat.chosen.modelConfig, [id]: value as Primitive };
      chat.choose({ model: model.id, modelConfig });
    },
  };
}

type Primitive = NonNullable<RestoreState['modelConfig']>[string];
