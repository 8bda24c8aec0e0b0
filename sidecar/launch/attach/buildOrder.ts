import type { Build } from '../../protocol/hostInfo.ts';

/** Below 0 when `left` is the older build: by version number by number, then by the time of the build. */
export function compareBuilds(left: Build, right: Build): number {
  return compareVersions(left.version, right.version) || left.builtAtMs - right.builtAtMs;
}

/** Semantic versions without build metadata; a pre-release (`1.0.0-rc.1`) is older than its release. */
function compareVersions(left: string, right: string): number {
  const [leftCore = '', ...leftPre] = left.split('-');
  const [rightCore = '', ...rightPre] = right.split('-');
  const core = compareParts(leftCore.split('.'), rightCore.split('.'));
  if (core !== 0) return core;
  if (leftPre.length === 0 || rightPre.length === 0) return rightPre.length - leftPre.length;
  return compareParts(leftPre.join('-').split('.'), rightPre.join('-').split('.'));
}

function compareParts(left: readonly string[], right: readonly string[]): number {
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = comparePart(left[at] ?? '0', right[at] ?? '0');
    if (difference !== 0) return difference;
  }
  return 0;
}

function comparePart(left: string, right: string): number {
  if (/^\d+$/.test(left) && /^\d+$/.test(right)) return Number(left) - Number(right);
  return left < right ? -1 : left > right ? 1 : 0;
}
