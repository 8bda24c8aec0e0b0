const field = document.createElement('textarea');

/**
 * What the Markdown parser asks of a package whose table would be a tenth of the page's script: the browser has the same
 * table. A text field holds no elements, whatever is written into it.
 * @param entity from `&` to `;`
 * @returns `entity` itself where there is none of that name
 */
export function decodeHTMLStrict(entity: string): string {
  field.innerHTML = entity;
  const decoded = field.textContent ?? '';
  // The browser knows some names without the semicolon too, and leaves what follows them.
  return decoded.endsWith(';') && entity !== '&semi;' ? entity : decoded;
}
