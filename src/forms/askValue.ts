import * as vscode from 'vscode';
import { sameJson } from '../../sidecar/protocol/collections.ts';
import { valueProblem } from '../../sidecar/protocol/configValues.ts';
import { choicesOf, readTyped, suggestions, valueText } from './fieldTexts.ts';
import type { Field, Suggestion } from './form.ts';
import { type PickItem, pick } from './pick.ts';

const done = new vscode.ThemeIcon('check');
const add = new vscode.ThemeIcon('add');
const none = new vscode.ThemeIcon('blank');

export interface Asking {
  /** Above every step, so that a person knows where in the form they are. */
  readonly title: string;
  readonly field: Field;
  readonly value: unknown;
  readonly complete?: ((query: string) => Promise<readonly Suggestion[]>) | undefined;
}
/** `value` `undefined`: nothing is chosen any more. */
export interface Asked {
  readonly value: unknown;
}

/** Asks for one value, in the way that goes with its schema. Answers `undefined` when the person left. */
export async function askValue(asking: Asking): Promise<Asked | undefined> {
  const { field } = asking;
  if (field.enumDynamic === true && asking.complete) return askDynamic(asking, asking.complete);
  if (field.enum) return askChoice(asking, choicesOf(field));
  if (field.type === 'boolean') {
    const { t } = vscode.l10n;
    return askChoice(
      asking,
      [true, false].map((value) => ({ value, label: value ? t('Yes') : t('No') })),
    );
  }
  if (field.type === 'array' && field.items?.enum) return askSeveral(asking, field.items);
  if (field.type === 'array' && field.items) return askItems(asking, field.items);
  if (field.type === 'object' && (field.properties || field.additionalProperties)) return askMembers(asking);
  return askTyped(asking);
}

async function askChoice(
  { title, field, value }: Asking,
  choices: readonly { readonly value: unknown; readonly label: string; readonly description?: string }[],
): Promise<Asked | undefined> {
  const chosen = await pick<Asked>({
    title,
    placeHolder: field.description ?? vscode.l10n.t('Choose one'),
    items: choices.map((it) => toItem(it, sameJson(it.value, value ?? field.default))),
  });
  return chosen?.value;
}

/** Seed values first; the others come with what is typed. */
async function askDynamic(
  { title, field, value }: Asking,
  complete: (query: string) => Promise<readonly Suggestion[]>,
): Promise<Asked | undefined> {
  const toItems = (all: ReturnType<typeof suggestions>): PickItem<Asked>[] => [
    ...all.filter((it) => it.isSeed).map((it) => ({ ...toItem(it, it.value === value), alwaysShow: true })),
    { label: vscode.l10n.t('search results'), kind: vscode.QuickPickItemKind.Separator },
    ...all.filter((it) => !it.isSeed).map((it) => ({ ...toItem(it, it.value === value), alwaysShow: true })),
  ];
  const chosen = await pick<Asked>({
    title,
    placeHolder: vscode.l10n.t('Type to search'),
    items: toItems(suggestions(field, '', [])),
    find: async (typed) => toItems(suggestions(field, typed, await complete(typed))),
  });
  return chosen?.value;
}

async function askSeveral({ title, field, value }: Asking, items: Field): Promise<Asked | undefined> {
  const now = Array.isArray(value) ? value : [];
  const chosen = await vscode.window.showQuickPick(
    choicesOf(items).map((it) => ({ ...toItem(it, false), picked: now.some((one) => sameJson(one, it.value)) })),
    { title, placeHolder: field.description ?? '', canPickMany: true, ignoreFocusOut: true },
  );
  return chosen && { value: chosen.map((it) => it.value?.value) };
}

/** A list whose items can be changed, taken out and added to. */
async function askItems({ title, field, value }: Asking, items: Field): Promise<Asked | undefined> {
  let list: readonly unknown[] = Array.isArray(value) ? value : [];
  const { t } = vscode.l10n;
  for (;;) {
    const chosen = await pick<'done' | 'add' | number>({
      title,
      placeHolder: field.description ?? t('Choose what to change'),
      items: [
        { label: t('Done'), iconPath: done, value: 'done' },
        { label: t('Add…'), iconPath: add, value: 'add' },
        ...list.map((it, at) => ({ label: valueText(vscode.l10n, items, it), iconPath: none, value: at })),
      ],
    });
    if (chosen?.value === undefined) return undefined;
    if (chosen.value === 'done') return { value: list };
    const at = chosen.value === 'add' ? list.length : chosen.value;
    const isKept = at === list.length || (await keepsOrRemoves(title, chosen.label));
    if (isKept === undefined) continue;
    if (!isKept) {
      list = list.filter((_, index) => index !== at);
      continue;
    }
    const asked = await askValue({ title: `${title} › ${items.title}`, field: items, value: list[at] });
    if (asked) list = [...list.slice(0, at), asked.value, ...list.slice(at + 1)];
  }
}

/** Members by name, and more of them where the schema allows that. */
async function askMembers({ title, field, value }: Asking): Promise<Asked | undefined> {
  let members = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const { t } = vscode.l10n;
  const more = field.additionalProperties;
  for (;;) {
    const names = [...new Set([...Object.keys(field.properties ?? {}), ...Object.keys(members)])];
    const chosen = await pick<{ readonly id: string } | 'done' | 'add'>({
      title,
      placeHolder: field.description ?? t('Choose what to change'),
      items: [
        { label: t('Done'), iconPath: done, value: 'done' },
        ...(more ? [{ label: t('Add…'), iconPath: add, value: 'add' as const }] : []),
        ...names.map((id) => {
          const own = field.properties?.[id] ?? more;
          const needed = field.required?.includes(id) && members[id] === undefined ? t('(required)') : '';
          const text = own ? valueText(vscode.l10n, own, members[id]) : JSON.stringify(members[id]);
          return {
            label: field.properties?.[id]?.title ?? id,
            iconPath: none,
            description: `${text} ${needed}`.trim(),
            value: { id },
          };
        }),
      ],
    });
    if (chosen?.value === undefined) return undefined;
    if (chosen.value === 'done') {
      const problem = valueProblem(field, members, field.title);
      if (problem === undefined) return { value: members };
      void vscode.window.showErrorMessage(problem);
      continue;
    }
    const id = chosen.value === 'add' ? await askName(title) : chosen.value.id;
    const own = id === undefined ? undefined : (field.properties?.[id] ?? more);
    if (id === undefined || !own) continue;
    const isExtra = field.properties?.[id] === undefined && members[id] !== undefined;
    const isKept = !isExtra || (await keepsOrRemoves(title, id));
    if (isKept === undefined) continue;
    if (!isKept) {
      members = Object.fromEntries(Object.entries(members).filter(([key]) => key !== id));
      continue;
    }
    const asked = await askValue({
      title: `${title} › ${own === more ? id : own.title}`,
      field: own,
      value: members[id],
    });
    if (asked) members = { ...members, [id]: asked.value };
  }
}

async function askTyped({ title, field, value }: Asking): Promise<Asked | undefined> {
  const now = value ?? field.default;
  const typed = await vscode.window.showInputBox({
    title,
    ignoreFocusOut: true,
    prompt: field.description ?? '',
    value: typeof now === 'string' ? now : (JSON.stringify(now) ?? ''),
    validateInput: (it) => {
      const read = readTyped(field, it);
      if (read !== undefined) return valueProblem(field, read, field.title);
      return field.type === 'number' ? vscode.l10n.t('Enter a number.') : vscode.l10n.t('Enter JSON.');
    },
  });
  return typed === undefined ? undefined : { value: readTyped(field, typed) };
}

function askName(title: string): Promise<string | undefined> {
  return Promise.resolve(
    vscode.window.showInputBox({
      title,
      ignoreFocusOut: true,
      prompt: vscode.l10n.t('Name'),
      validateInput: (it) => (it.trim() === '' ? vscode.l10n.t('Enter a name.') : undefined),
    }),
  );
}

/** True: change it; false: take it out. */
async function keepsOrRemoves(title: string, label: string): Promise<boolean | undefined> {
  const chosen = await pick<{ readonly keeps: boolean }>({
    title,
    placeHolder: label,
    items: [
      { label: vscode.l10n.t('Change…'), value: { keeps: true } },
      { label: vscode.l10n.t('Remove'), value: { keeps: false } },
    ],
  });
  return chosen?.value?.keeps;
}

function toItem(
  { value, label, description }: { readonly value: unknown; readonly label: string; readonly description?: string },
  isNow: boolean,
): PickItem<Asked> {
  return { label, iconPath: isNow ? done : none, ...(description && { description }), value: { value } };
}
