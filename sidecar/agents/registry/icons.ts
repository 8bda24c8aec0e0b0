import { Fault } from '../../platform/faults.ts';
import { type DownloadOptions, fetchBytes } from './download.ts';
import type { RegistryEntry } from './entry.ts';

const MOST_ICON_BYTES = 32 * 1024;
const AT_ONCE = 6;
const MOST_ICONS = 300;

/**
 * The pictures of agents, as `data:` URIs by id. They come from where the list comes from and from nowhere else: whoever
 * serves one learns who looks. One that cannot be had is left out.
 */
export async function fetchIcons(
  entries: readonly RegistryEntry[],
  registry: string,
  options: Omit<DownloadOptions, 'mostBytes'>,
): Promise<Record<string, string>> {
  const icons: Record<string, string> = {};
  const { origin } = new URL(registry);
  const wanted = entries.filter((it) => it.icon !== undefined).slice(0, MOST_ICONS);
  const work = async (): Promise<void> => {
    for (let entry = wanted.shift(); entry; entry = wanted.shift()) {
      const icon = await iconOf(entry.icon ?? '', { registry, origin }, options);
      if (icon !== undefined) icons[entry.id] = icon;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return icons;
}

async function iconOf(
  icon: string,
  { registry, origin }: { readonly registry: string; readonly origin: string },
  options: Omit<DownloadOptions, 'mostBytes'>,
): Promise<string | undefined> {
  if (/^data:image\/svg\+xml[;,]/i.test(icon)) return icon.length <= MOST_ICON_BYTES * 2 ? icon : undefined;
  if (/^\s*<svg[\s>]/.test(icon)) return toDataUri(icon);
  if (!URL.canParse(icon, registry) || new URL(icon, registry).origin !== origin || options.signal.aborted)
    return undefined;
  try {
    const text = (await fetchBytes(new URL(icon, registry).href, { ...options, mostBytes: MOST_ICON_BYTES })).toString(
      'utf8',
    );
    return /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<svg[\s>]/s.test(text) ? toDataUri(text) : undefined;
  } catch (thrown) {
    if (thrown instanceof Fault || options.signal.aborted) return undefined;
    throw thrown;
  }
}

function toDataUri(svg: string): string {
  return `data:image/svg+xml;base64,${Buffer.from(svg.trim()).toString('base64')}`;
}
