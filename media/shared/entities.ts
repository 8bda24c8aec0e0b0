const field = document.createElement('textarea');

/**
 * Replaces a package that the Markdown parser uses. The package's table would be a tenth of the page's script, and the browser
 * has the same table. A text field never creates elements from its content.
 * @param entity from `&` to `;`
 * @returns `entity` itself if its name is unknown
 */
export function decodeHTMLStrict(entity: string): string {
  field.innerHTML = entity;
  const decoded = field.textContent ?? '';
  // The browser also accepts some names without a semicolon, and keeps the rest as text.
  return decoded.endsWith(';') && entity !== '&semi;' ? entity : decoded;
}
