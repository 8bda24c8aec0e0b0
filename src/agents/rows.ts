import type {
  AgentKind,
  AgentOffer,
  RegistryAgent,
  RegistryAnswer,
} from '../../sidecar/protocol/channels/root/agentRegistry.ts';
import { fromHost, type Localizer } from '../platform/localizer.ts';
import { sizeText } from '../platform/sizes.ts';
import { withoutIcons } from '../platform/withoutIcons.ts';

export interface AgentRow {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}
export interface AgentGroup {
  readonly title: string;
  readonly agents: readonly RegistryAgent[];
}

/** What is there first, then what can be added, then what cannot be added here; each by name. */
export function agentGroups(l10n: Localizer, items: readonly RegistryAgent[]): AgentGroup[] {
  const byName = items.toSorted((a, b) => a.name.localeCompare(b.name));
  const of = (title: string, isIn: (it: RegistryAgent) => boolean) => ({ title, agents: byName.filter(isIn) });
  return [
    of(l10n.t('Installed'), (it) => it.installed !== undefined),
    of(l10n.t('Available'), (it) => it.installed === undefined && it.kind !== undefined),
    of(l10n.t('Not available on this machine'), (it) => it.installed === undefined && it.kind === undefined),
  ].filter((it) => it.agents.length > 0);
}

export function agentRow(l10n: Localizer, it: RegistryAgent): AgentRow {
  const { installed } = it;
  const state =
    installed &&
    (it.canUpdate
      ? l10n.t('{0} installed, {1} available', installed.version, it.version)
      : l10n.t('{0} installed', installed.version));
  const kind = installed?.kind ?? it.kind;
  const facts = [
    state ?? it.version,
    it.authors.join(', '),
    it.license,
    kind && kindText(l10n, kind),
    installed && sizeText(l10n, installed.sizeBytes),
  ];
  const why = it.isShadowed
    ? l10n.t('An agent with the same ID in your settings is used instead.')
    : installed === undefined && blockedText(l10n, it.blocked);
  return {
    label: withoutIcons(it.name),
    description: withoutIcons(facts.filter(Boolean).join(' · ')),
    detail: withoutIcons([why, it.command].filter(Boolean).join(' ')),
  };
}

function kindText(l10n: Localizer, kind: AgentKind): string {
  return { npm: 'npm', binary: l10n.t('download'), uv: 'uv' }[kind];
}

function blockedText(l10n: Localizer, blocked: RegistryAgent['blocked']): string | undefined {
  switch (blocked) {
    case 'npmMissing':
      return l10n.t('npm was not found. Install Node.js, which includes npm, and then reload the window.');
    case 'uvMissing':
      return l10n.t('uv was not found. Install uv, and then reload the window.');
    case 'platform':
      return l10n.t('Not available for this operating system and processor.');
    default:
      return undefined;
  }
}

/** Where the list comes from, and what is wrong with it. */
export function originText(
  l10n: Localizer,
  { origin, date, problem }: RegistryAnswer,
  day: (iso: string) => string,
): string {
  const select = l10n.t('Select an agent');
  if (problem !== undefined) return l10n.t('{0} (list from {1}: {2})', select, day(date), fromHost(l10n, problem));
  return origin === 'shipped' ? l10n.t('{0} (list from {1})', select, day(date)) : select;
}

/** All that a person confirms: what runs, where it comes from and where it goes. */
export function offerText(l10n: Localizer, offer: AgentOffer): string {
  const { kind, steps, command, source, folder, sizeBytes, hash, variables } = offer;
  const [step = ''] = steps;
  const size = sizeBytes === undefined ? undefined : sizeText(l10n, sizeBytes);
  const lines = [
    kind === 'binary' ? l10n.t('Download: {0}', step) : l10n.t('Command: {0}', step),
    kind === 'binary' ? undefined : l10n.t('Source: {0}', source),
    l10n.t('Folder: {0}', folder),
    size && (kind === 'npm' ? l10n.t('Size: {0}, without dependencies', size) : l10n.t('Size: {0}', size)),
    hash
      ? l10n.t('Published hash: {0}', hash)
      : l10n.t('No hash was published. The hash of the download is recorded, so later changes are detected.'),
    l10n.t('Runs as: {0}', command),
    variables.length > 0 ? l10n.t('Environment variables it receives: {0}', variables.join(', ')) : undefined,
    kind === 'binary' ? undefined : l10n.t('Package install scripts do not run.'),
  ];
  return lines.filter((it) => it !== undefined).join('\n\n');
}
