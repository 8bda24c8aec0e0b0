import type { Icon } from '../../../sidecar/protocol/shared.ts';

/** An image for each kind of theme, as URIs that the editor may load. */
export interface ShownIcon {
  readonly light: string;
  readonly dark: string;
}

/** A longer one is no icon. */
const MAX_CHARACTERS = 64 * 1024;
/** Only as the background of a row, where the editor runs no script and loads nothing that an SVG names. */
const images = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/i;

/**
 * What may be shown of the icons that agents, plugins, and servers give: `data:` URIs of images, and https from hosts that
 * the person trusts. Nothing else is loaded: whoever serves an icon learns who looks at it.
 */
export function shownIcon(icons: readonly Icon[] | undefined, trustedHosts: readonly string[]): ShownIcon | undefined {
  const safe = (icons ?? []).filter((it) => isTrusted(it, trustedHosts));
  const of = (theme: 'light' | 'dark') =>
    safe.find((it) => it.theme === theme) ?? safe.find((it) => it.theme === undefined) ?? safe[0];
  const light = of('light');
  const dark = of('dark');
  return light && dark && { light: light.src, dark: dark.src };
}

function isTrusted({ src }: Icon, trustedHosts: readonly string[]): boolean {
  if (src.length > MAX_CHARACTERS) return false;
  if (/^data:/i.test(src)) return images.test(src);
  if (!URL.canParse(src)) return false;
  const { protocol, hostname, username, password } = new URL(src);
  return protocol === 'https:' && username === '' && password === '' && trustedHosts.includes(hostname);
}
