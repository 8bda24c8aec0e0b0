import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema } from '../../../sidecar/gateway/configuration/jsonSchema.ts';
import { projectRoot } from '../../support/cache.ts';
import { code, documentOf, type Field, plain, type Section } from './markdown.ts';
import { fieldsOf, findObjects, type Words } from './objects.ts';

/** A setting, or a member of one. */
type Setting = JsonSchema & {
  readonly scope?: string;
  readonly order?: number;
  readonly markdownDescription?: string;
  readonly enumDescriptions?: readonly string[];
};

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly { title: string; properties: Readonly<Record<string, Setting>> }[];
  };
}

const introduction =
  "This page lists all of the extension's settings. Set them in the VS Code Settings editor or in `settings.json`.";

/** Where VS Code lets a setting be set. */
const scopes: Readonly<Record<string, string>> = {
  application: 'user settings only',
  machine: 'user or remote machine settings, but not workspace settings',
  window: 'user, remote, or workspace settings',
};

/** SETTINGS.md. */
export const settingsReference = (): string => documentOf('Settings', introduction, settingsSections());

/** One section for each part of the configuration in `package.json`, and one for each kind of entry in a list. */
export function settingsSections(): readonly Section[] {
  const { contributes } = JSON.parse(read('package.json')) as Manifest;
  const texts = JSON.parse(read('package.nls.json')) as Readonly<Record<string, string>>;
  const resolved = (text = '') => text.replace(/^%(.+)%$/, (_, key: string) => texts[key] ?? '');
  return contributes.configuration.flatMap(({ title, properties }) => {
    const found = new Map(Object.entries(properties).flatMap(([id, setting]) => [...findObjects(setting, id)]));
    const words: Words = {
      meaning: (it) => meaningOf(it, resolved),
      title: (it) => [...found.values()].find(({ schema }) => schema === it)?.paths[0] ?? '',
    };
    return [
      { title: resolved(title), level: 2, text: [], fields: settingsOf(properties, words) },
      ...[...found.values()].map(
        ({ schema, place, paths: [path = ''] }): Section => ({
          title: path,
          level: 3,
          text: [path.endsWith('[n]') ? `An entry in ${code(path.slice(0, -3))}.` : words.meaning(place)],
          fields: fieldsOf(schema, words),
        }),
      ),
    ];
  });
}

function settingsOf(properties: Readonly<Record<string, Setting>>, words: Words): readonly Field[] {
  return fieldsOf({ properties }, words).map((it) => {
    const scope = properties[it.name]?.scope ?? 'window';
    return { ...it, scope: scopes[scope] ?? scope };
  });
}

/** The description, and that of each value. */
function meaningOf(setting: Setting, resolved: (text?: string) => string): string {
  const { markdownDescription, description, enum: values = [], enumDescriptions = [] } = setting;
  const words = markdownDescription === undefined ? plain(resolved(description)) : resolved(markdownDescription);
  const ofValues = enumDescriptions.map((it, at) => `${code(String(values[at]))}: ${plain(resolved(it))}`);
  return [words, ...ofValues].join(' ');
}

const read = (name: string) => readFileSync(join(projectRoot, name), 'utf8');
