import type { Localizer } from './localizer.ts';

/** A size of files for people: `12 KB`, `3 MB`, `1.4 GB`. */
export function sizeText(l10n: Localizer, bytes: number): string {
  const mb = bytes / 1_048_576;
  if (mb >= 1_000) return l10n.t('{0} GB', (mb / 1_024).toFixed(1));
  return mb >= 1 ? l10n.t('{0} MB', Math.round(mb)) : l10n.t('{0} KB', Math.max(1, Math.round(bytes / 1_024)));
}
