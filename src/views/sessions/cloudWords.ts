import { type CloudMeta, cloudOf } from '../../../sidecar/protocol/channels/session/cloudMeta.ts';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import { visibleText } from '../../../sidecar/protocol/visibleText.ts';
import type { Localizer } from '../../platform/localizer.ts';

type Line = readonly [name: string, value: string, link?: string | undefined];

/** For a row: how the cloud agent is, and the number of its pull request or else its branch. */
export function shortCloud(l10n: Localizer, { _meta }: Pick<SessionSummary, '_meta'>): string {
  const cloud = cloudOf(_meta);
  return cloud ? cloudText(l10n, cloud) : '';
}

export function cloudText(l10n: Localizer, cloud: CloudMeta): string {
  const place = pullRequestName(l10n, cloud) || visibleText(cloud.branch ?? '');
  return [statusWord(l10n, cloud), place].filter((it) => it !== '').join(' · ');
}

/** For the hover card. */
export function cloudLines(l10n: Localizer, { _meta }: Pick<SessionSummary, '_meta'>): Line[] {
  const cloud = cloudOf(_meta);
  if (!cloud) return [];
  const { repository = '', branch = '', pullRequest, url } = cloud;
  return [
    [l10n.t('Cloud agent'), statusWord(l10n, cloud), url],
    [l10n.t('Repository'), visibleText(repository)],
    [l10n.t('Branch'), visibleText(branch)],
    [l10n.t('Pull request'), pullRequestName(l10n, cloud) || (pullRequest ?? ''), pullRequest],
  ];
}

/** Of the usual address, which ends with the number. */
function pullRequestName(l10n: Localizer, { pullRequest = '' }: CloudMeta): string {
  const number = /\/(\d+)\/?$/.exec(pullRequest)?.[1];
  return number === undefined ? '' : l10n.t('PR #{0}', number);
}

function statusWord(l10n: Localizer, { status }: CloudMeta): string {
  const words: Readonly<Record<string, string>> = {
    CREATING: l10n.t('Starting'),
    RUNNING: l10n.t('Running'),
    FINISHED: l10n.t('Finished'),
    ERROR: l10n.t('Failed'),
    EXPIRED: l10n.t('Expired'),
    DELETED: l10n.t('Deleted'),
  };
  return words[status] ?? visibleText(status);
}
