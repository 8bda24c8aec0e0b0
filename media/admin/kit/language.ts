/**
 * Loaded before what asks for the browser's language while it loads (uPlot): under `LANG=C.UTF-8` Chromium calls its own
 * `en-US@posix`, which `Intl` refuses, and no page would be shown at all.
 */
const FALLBACK = 'en-US';

try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: FALLBACK, configurable: true });
}
