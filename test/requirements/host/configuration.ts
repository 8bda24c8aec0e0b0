import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const configuration = promisedBy(`${document}, Configuration schema objects`, {
  'host.config.type': 'The type of a property is required: string, number, boolean, array or object.',
  'host.config.title': 'The title of a property is required.',
  'host.config.description': 'A property may have a description.',
  'host.config.default': 'default is any JSON value.',
  'host.config.enum': 'enum are the allowed values, JSON primitives.',
  'host.config.enum-labels': 'enumLabels run parallel to enum.',
  'host.config.enum-descriptions': 'enumDescriptions run parallel to enum.',
  'host.config.read-only': 'readOnly true: shown, but not to be changed by the user.',
  'host.config.items': 'items is the schema of the items of an array.',
  'host.config.properties': 'properties are the schemas of the members of an object, by id.',
  'host.config.required': 'required are the ids of the required members of an object.',
  'host.config.additional': 'additionalProperties is the schema of further members of an object.',
  'host.config.schema-type': 'A ConfigSchema has the type object, which is required.',
  'host.config.schema-properties': 'A ConfigSchema has properties, a map of id to property schema, which is required.',
  'host.config.schema-required': 'A ConfigSchema may list required ids.',
  'host.config.enum-dynamic': 'enumDynamic true: matching values come from sessionConfigCompletions.',
  'host.config.enum-seeds': 'With enumDynamic, enum holds seed or recent values.',
  'host.config.session-mutable': 'sessionMutable true: the user may change the property after the session was created.',
  'host.config.session-schema': 'A SessionConfigSchema is a ConfigSchema with session property schemas.',
  'host.config.session-state': 'SessionConfigState has schema and values, both required.',
  'host.config.root-state': 'RootConfigState has schema and values, both required.',
});
