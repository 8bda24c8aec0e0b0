import type { ProcessInfo } from '../../sidecar/protocol/hostInfo.ts';
import type { Localizer } from '../platform/localizer.ts';
import type { Cleaner } from './cleaner.ts';
import type { HealthRow } from './health.ts';

/** All that goes into exported diagnostics, before it is made clean. No titles, prompts or paths of sessions. */
export interface Diagnostics {
  readonly at: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly health: readonly HealthRow[];
  /** How many there are, by what they are. */
  readonly counts: Readonly<Record<string, number>>;
  /** Those that differ from the defaults. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly processes: readonly ProcessInfo[];
  /** The last lines of the host's log. */
  readonly logLines: readonly string[];
}

/** As Markdown, for a person to check and to hand on. The names of members are not translated: others read them too. */
export function reportText(it: Diagnostics, cleaner: Cleaner, l10n: Localizer): string {
  const process = ({ role, pid, startedAt, memoryBytes }: ProcessInfo) =>
    `- ${role} ${pid}, ${startedAt}${memoryBytes === undefined ? '' : `, ${Math.round(memoryBytes / 1_048_576)} MB`}`;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Versions', Object.entries(it.versions).map(([name, version]) => `- ${name}: ${version}`)],
    ['Health', it.health.map(({ isWell, part, state }) => `- ${isWell ? 'OK' : '!!'} ${part}: ${state}`)],
    ['Counts', Object.entries(it.counts).map(([name, count]) => `- ${name}: ${count}`)],
    ['Settings', ['```json', cleaner.json(it.settings), '```']],
    ['Processes', it.processes.map(process)],
    ['Host log', ['```', ...it.logLines.map((line) => cleaner.logLine(line)), '```']],
  ];
  const text = [
    `# Switchboard Diagnostics, ${it.at}`,
    '',
    l10n.t('Secrets have been removed. Check the text before you share it.'),
    ...sections.flatMap(([title, lines]) => ['', `## ${title}`, '', ...lines]),
    '',
  ].join('\n');
  return cleaner.text(text);
}
