import type { OptionField, OptionForm, OptionProperty, Primitive } from '../options.ts';

/** Ids and names under which agents act without asking. */
const decidesByItself = new RegExp(
  [
    'accept[-_ ]?edits',
    String.raw`\bauto\b`,
    'auto[-_ ]?(edit|approve|run|accept|pilot)',
    'smart[-_ ]?approve',
    'autonomous',
    'bypass',
    'yolo',
    'brave',
    'unattended',
    "don'?t[-_ ]?ask",
    'full[-_ ]?access',
    '(allow|approve|trust)[-_ ]?(all|everything)',
    'always[-_ ]?(allow|approve)',
    'skip[-_ ]?permission',
    'never[-_ ]?ask',
    'unrestricted',
  ].join('|'),
  'i',
);
const names = (text: string) => decidesByItself.test(text) || text === 'auto';

/** Names of settings that say whether an agent asks. */
const askingPattern = /mode|approval|permission|autonom/i;

/** @param asks whether the setting says how the agent asks: elsewhere such words mean other things */
export function toValue(
  id: string,
  label: string,
  description: string | null | undefined,
  asks: boolean,
): OptionProperty['values'][number] {
  const agentDecides = asks && [id, label].map(lastPart).some(names);
  return { id, label, ...(description && { description }), ...(agentDecides && { agentDecides }) };
}

export function isAboutAsking(id: string): boolean {
  return askingPattern.test(id);
}
export function namesDeciding(name: string): boolean {
  return decidesByItself.test(name);
}

/** The values of an agent's own form with which it acts without asking, by field. */
export function decidingValues(form: OptionForm): Record<string, Primitive[]> {
  const found = Object.entries(form.properties).map(([id, field]) => [id, decidingOf(id, field)] as const);
  return Object.fromEntries(found.filter(([, values]) => values.length > 0));
}

function decidingOf(id: string, { type, title, enum: values = [], enumLabels }: OptionField): Primitive[] {
  if (type === 'boolean') return [id, title].some(names) ? [true] : [];
  if (type !== 'string' || ![id, title].some(isAboutAsking)) return [];
  return values.filter((value, at) => [String(value), enumLabels?.[at] ?? ''].map(lastPart).some(names));
}

/** Ids may be URLs: their last part is the name, and a host called "auto" means nothing. */
function lastPart(id: string): string {
  return id.includes('://') ? id.slice(Math.max(id.lastIndexOf('/'), id.lastIndexOf('#')) + 1) : id;
}
