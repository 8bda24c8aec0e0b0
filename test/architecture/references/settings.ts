import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/cache.ts';
import { cell, page, table } from './tables.ts';

interface Setting {
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly markdownEnumDescriptions?: readonly string[];
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly scope?: string;
  readonly items?: { readonly properties?: Readonly<Record<string, Setting>>; readonly required?: readonly string[] };
}
interface Manifest {
  readonly contributes: {
    readonly configuration: readonly {
      readonly title: string;
      readonly properties: Readonly<Record<string, Setting>>;
    }[];
  };
}

const read = <T>(name: string) => JSON.parse(readFileSync(join(projectRoot, name), 'utf8')) as T;

/** Where a setting may be set, in the words of the Settings editor. */
const scopes: Readonly<Record<string, string>> = {
  application: 'user',
  machine: 'user',
  'machine-overridable': 'user or workspace',
  window: 'user or workspace',
  resource: 'user, workspace or folder',
};

/** SETTINGS.md: every setting of package.json with its texts. Settings without a text have an empty cell. */
export function settingsReference(): string {
  const texts = read<Record<string, string>>('package.nls.json');
  const text = (raw = '') => raw.replaceAll(/%([^%]+)%/g, (_, key: string) => texts[key] ?? '');
  const meaningOf = ({ description, markdownDescription, enum: values, ...more }: Setting): string => {
    const each = (more.enumDescriptions ?? more.markdownEnumDescriptions)?.map(text);
    const choices = values?.map((it, at) => `\`${it}\`${each?.[at] ? `: ${lowerFirst(each[at])}` : ''}`) ?? [];
    return [text(markdownDescription ?? description), choices.join(' ')].filter(Boolean).join(' ');
  };
  const sections = read<Manifest>('package.json').contributes.configuration.flatMap(({ title, properties }) => [
    `## ${text(title)}`,
    table(
      ['setting', 'default', 'scope', 'meaning'],
      Object.entries(properties).map(([id, it]) => [
        `\`${id}\``,
        cell(`\`${typeof it.default === 'string' ? it.default : JSON.stringify(it.default)}\``),
        scopes[it.scope ?? 'window'] ?? '',
        cell(meaningOf(it)),
      ]),
    ),
    ...Object.entries(properties).flatMap(([id, { items }]) =>
      items?.properties
        ? [
            `Each entry of \`${id}\`:`,
            table(
              ['member', 'meaning'],
              Object.entries(items.properties).map(([name, it]) => [
                `\`${name}\``,
                cell(`${meaningOf(it)}${items.required?.includes(name) ? ' Required.' : ''}`),
              ]),
            ),
          ]
        : [],
    ),
  ]);
  return page(
    'Settings',
    'All settings of the extension. Settings with the scope *user* cannot be set in a workspace.',
    sections,
  );
}

const lowerFirst = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1);
