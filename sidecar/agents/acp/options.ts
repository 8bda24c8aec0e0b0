import type { ModelOption, OptionProperty, SessionOptions } from '../options.ts';
import { decidingValues, isAboutAsking, namesDeciding, toValue } from './decidingModes.ts';
import { type OwnOffer, ownModel } from './ownOffer.ts';
import type { ConfigOption, OpenedSession } from './wire.ts';

/** What an agent offers, in whichever of the three ways it declares it: config options, modes, the old models. */
export interface Offer {
  readonly modes: OpenedSession['modes'];
  readonly models: OpenedSession['models'];
  readonly configOptions: readonly ConfigOption[];
  readonly commands: SessionOptions['commands'];
  /** Its extensions of the protocol. */
  readonly own?: OwnOffer | undefined;
}

/** A request that sets one value in the agent. */
export interface SetRequest {
  readonly method: 'session/set_mode' | 'session/set_model' | 'session/set_config_option';
  readonly params: Readonly<Record<string, unknown>>;
}

/** The id of the property that stands for `modes`, where no config option does. */
const modeProperty = 'mode';

export function offerOf(opened: OpenedSession): Offer {
  const { modes, models, configOptions = [], _meta } = opened;
  return { modes, models, configOptions, commands: [], own: _meta?.switchboard };
}

/** Config options count before modes and models of the same purpose: agents that send both mean one thing. */
export function toOptions(offer: Offer): SessionOptions {
  const modelOption = offer.configOptions.find(isModelOption);
  const models: ModelOption[] = modelOption
    ? modelOption.options.map((it) => ({ id: it.value, name: it.name, ...ownModel(offer.own, it.value) }))
    : (offer.models?.availableModels ?? []).map((it) => ({
        id: it.modelId,
        name: it.name,
        ...ownModel(offer.own, it.modelId),
      }));
  const model = modelOption?.currentValue ?? offer.models?.currentModelId;
  const properties = offer.configOptions.filter((it) => it !== modelOption).map(toProperty);
  if (offer.modes && offer.modes.availableModes.length > 0 && !offer.configOptions.some(isModeOption)) {
    properties.unshift({
      id: modeProperty,
      title: 'Mode',
      values: offer.modes.availableModes.map((it) => toValue(it.id, it.name, it.description, true)),
      value: offer.modes.currentModeId,
    });
  }
  const { config } = offer.own ?? {};
  const form = config && { ...config.schema, values: config.values, deciding: decidingValues(config.schema) };
  return { models, ...(model && { model }), properties, commands: offer.commands, ...(form && { form }) };
}

/** How to set one property. `undefined` when the agent does not offer that value, or has it already. */
export function requestToSet(offer: Offer, sessionId: string, id: string, value: unknown): SetRequest | undefined {
  const property = toOptions(offer).properties.find((it) => it.id === id);
  if (!property || property.value === value || !property.values.some((it) => it.id === value)) return undefined;
  const option = offer.configOptions.find((it) => it.id === id);
  if (!option) return { method: 'session/set_mode', params: { sessionId, modeId: value } };
  const params = option.type === 'boolean' ? { type: 'boolean', value: value === 'true' } : { value };
  return { method: 'session/set_config_option', params: { sessionId, configId: id, ...params } };
}

/** How to choose a model; as above. */
export function requestToSetModel(offer: Offer, sessionId: string, model: string): SetRequest | undefined {
  const options = toOptions(offer);
  if (options.model === model || !options.models.some((it) => it.id === model)) return undefined;
  const option = offer.configOptions.find(isModelOption);
  return option
    ? { method: 'session/set_config_option', params: { sessionId, configId: option.id, value: model } }
    : { method: 'session/set_model', params: { sessionId, modelId: model } };
}

/** The offer after a request went well, for agents that answer nothing. */
export function withSet(offer: Offer, request: SetRequest): Offer {
  const { modeId, modelId, configId, value } = request.params;
  if (offer.modes && typeof modeId === 'string') return { ...offer, modes: { ...offer.modes, currentModeId: modeId } };
  if (offer.models && typeof modelId === 'string')
    return { ...offer, models: { ...offer.models, currentModelId: modelId } };
  const configOptions = offer.configOptions.map((it): ConfigOption => {
    if (it.id !== configId) return it;
    if (it.type === 'boolean') return typeof value === 'boolean' ? { ...it, currentValue: value } : it;
    return typeof value === 'string' ? { ...it, currentValue: value } : it;
  });
  return { ...offer, configOptions };
}

function isModelOption(option: ConfigOption): option is Extract<ConfigOption, { type: 'select' }> {
  return option.type === 'select' && (option.category === 'model' || option.id === 'model');
}

function isModeOption(option: ConfigOption): boolean {
  return option.category === 'mode' || option.id === 'mode';
}

function toProperty(option: ConfigOption): OptionProperty {
  const asks = isModeOption(option) || isAboutAsking(option.id);
  return {
    id: option.id,
    title: option.name,
    ...(option.description && { description: option.description }),
    values:
      option.type === 'boolean'
        ? [
            toValue('true', 'On', undefined, asks && namesDeciding(option.name)),
            toValue('false', 'Off', undefined, false),
          ]
        : option.options.map((it) => toValue(it.value, it.name, it.description, asks)),
    value: String(option.currentValue),
  };
}
