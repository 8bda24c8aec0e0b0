import { describe, it } from 'mocha';
import {
  ConfigPropertySchema,
  ConfigSchema,
  RootConfigState,
  SessionConfigPropertySchema,
  SessionConfigSchema,
  SessionConfigState,
} from '../../../../sidecar/protocol/configSchemas.ts';
import { accepts, checkShape, refuses } from '../../../support/protocol/checkShape.ts';
import { verifies } from '../../../support/verifies.ts';

const text = { type: 'string', title: 'Text' };
const property = {
  required: { type: 'object', title: 'Options' },
  optional: {
    description: 'What may be chosen.',
    default: { a: 1 },
    enum: ['a', 1, true, null],
    enumLabels: ['A', 'One', 'Yes', 'None'],
    enumDescriptions: ['a', 'b', 'c', 'd'],
    readOnly: true,
    items: text,
    properties: { name: text },
    required: ['name'],
    additionalProperties: text,
  },
  anything: ['default'],
};
const schema = {
  required: { type: 'object', properties: { name: text } },
  optional: { required: ['name'] },
};

describe('configuration types', () => {
  it('ConfigPropertySchema has the members of its table, to any depth', () => {
    verifies(
      'host.config.type',
      'host.config.title',
      'host.config.description',
      'host.config.default',
      'host.config.enum',
      'host.config.enum-labels',
      'host.config.enum-descriptions',
      'host.config.items',
      'host.config.properties',
      'host.config.required',
      'host.config.additional',
    );
    checkShape(ConfigPropertySchema, property);
    for (const type of ['string', 'number', 'boolean', 'array', 'object'])
      accepts(ConfigPropertySchema, { ...text, type });
    refuses(ConfigPropertySchema, { ...text, type: 'date' }, 'type');
    for (const value of ['a', 1, false, null, [1], { a: 1 }])
      accepts(ConfigPropertySchema, { ...text, default: value });
    refuses(ConfigPropertySchema, { ...text, enum: [{}] }, 'enum');
    const deep = { type: 'array', title: 'List', items: { type: 'array', title: 'List', items: { type: 'string' } } };
    refuses(ConfigPropertySchema, deep, 'items');
  });

  it('ConfigSchema is an object of properties', () => {
    verifies('host.config.schema-type', 'host.config.schema-properties', 'host.config.schema-required');
    checkShape(ConfigSchema, schema);
    refuses(ConfigSchema, { type: 'array', properties: {} }, 'type');
    refuses(ConfigSchema, { type: 'object', properties: { name: { type: 'string' } } }, 'properties');
  });

  it('those of sessions have two members more', () => {
    verifies('host.config.session-schema');
    const own = { ...property.optional, enumDynamic: true, sessionMutable: true };
    checkShape(SessionConfigPropertySchema, { ...property, optional: own });
    checkShape(SessionConfigSchema, schema);
    const name = { ...text, sessionMutable: 'yes' };
    refuses(SessionConfigSchema, { type: 'object', properties: { name } }, 'properties');
  });

  it('a state of configuration has schema and values', () => {
    verifies('host.config.session-state', 'host.config.root-state');
    const state = { required: { schema: { type: 'object', properties: { name: text } }, values: { name: 'a' } } };
    checkShape(SessionConfigState, state);
    checkShape(RootConfigState, state);
  });
});
