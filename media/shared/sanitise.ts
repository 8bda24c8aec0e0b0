import DOMPurify from 'dompurify';

const allowed = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 's', 'code', 'pre', 'blockquote'],
    ...['ul', 'ol', 'li', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'span', 'div', 'button'],
  ],
  ALLOWED_ATTR: [
    'href',
    'class',
    'tabindex',
    'start',
    'type',
    'aria-label',
    'title',
    'data-copy',
    'data-code',
    'data-language',
  ],
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
};

/** Of HTML that was made from an agent's words, what may be on the page. */
export function sanitise(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, allowed);
}
