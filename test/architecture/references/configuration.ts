import * as z from 'zod';
import { configJsonSchema, type JsonSchema } from '../../../sidecar/gateway/configuration/jsonSchema.ts';
import { LocalSecretRef, SecretRef } from '../../../sidecar/protocol/gateway/config/secretRef.ts';
import { authTypeLink, authTypeSections } from './authTypes.ts';
import { documentOf, plain, type Section } from './markdown.ts';
import { type FoundObject, fieldsOf, findObjects, keyOf, rulesOf, typeText, type Words } from './objects.ts';
import { defaultOf, hasSection, schemaOf } from './types.ts';

const introduction = [
  "This page describes every field of `switchboard.jsonc`, the gateway's configuration file. The file is JSON with comments and trailing commas.",
  'Unknown fields are errors. The file never contains secrets. A field that requires a secret specifies the environment variable or file that contains it.',
].join('\n');

/** CONFIGURATION.md. */
export const configurationReference = (): string =>
  documentOf('Gateway configuration', introduction, configurationSections());

/** One section for each member of the file, each object below it, each auth type and each object that has several places. */
export function configurationSections(): readonly Section[] {
  const whole = configJsonSchema();
  const members = Object.entries(whole.properties ?? {}).map(([name, it]) => ({ name, schema: schemaOf(it) }));
  const found = findObjects(whole, '');
  found.delete(keyOf(whole));
  const keyFor = (schema: z.ZodType) => keyOf(z.toJSONSchema(schema, { io: 'input', target: 'draft-7' }));
  const secrets = new Map([
    [keyFor(SecretRef), 'secret'],
    [keyFor(LocalSecretRef), 'secret of this machine'],
  ]);
  const titles = new Map([...found].map(([key, it]) => [key, secrets.get(key) ?? titleOf(it)]));
  const words: Words = {
    meaning: (it) => plain(it.description ?? ''),
    title: (it) => titles.get(keyOf(it)) ?? '',
  };
  const sectionOf = ({ schema, paths, place }: FoundObject): Section => ({
    title: words.title(schema),
    level: 3,
    text: [words.meaning(paths.length > 1 ? schema : place), ...rulesOf(schema)],
    fields: fieldsOf(schema, words).map((it) => (it.name === 'auth_type' ? { ...it, type: authTypeLink } : it)),
  });
  const own = [...found.values()].filter((it) => it.paths.length === 1);
  const shared = [...found.values()].filter((it) => it.paths.length > 1);
  return [
    ...members.flatMap(({ name, schema }) => [
      memberSection(name, schema, words),
      ...own.filter(({ paths: [path = ''] }) => path !== name && rootOf(path) === name).map(sectionOf),
    ]),
    ...authTypeSections(),
    { title: 'Shared objects', level: 2, text: ['Objects that several fields accept.'], fields: [] },
    ...shared.map(sectionOf),
  ];
}

/** The place of an object, or the name that it has in all its places. */
const titleOf = ({ paths: [path = '', ...others] }: FoundObject) =>
  others.length === 0 ? path : (path.split('.').at(-1) ?? path);

const rootOf = (path: string) => /^[^.[]*/.exec(path)?.[0];

function memberSection(name: string, schema: JsonSchema, words: Words): Section {
  const isTable = hasSection(schema);
  const ofDefault = schema.default === undefined ? 'No default.' : `Default: ${defaultOf(schema, false)}.`;
  const type = `Type: ${typeText(schema, words)}. ${ofDefault}`;
  return {
    title: name,
    level: 2,
    text: [words.meaning(schema), ...(isTable ? rulesOf(schema) : [type])],
    fields: isTable ? fieldsOf(schema, words) : [],
  };
}
