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
    'data-math',
  ],
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
};

/** Removes everything that must not be on a page from HTML that was made from an agent's words. */
export function sanitise(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, allowed);
}

/** Does the same for MathML. The page's policy forbids style attributes, and formulas must not contain links. */
export function sanitiseMath(mathml: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(mathml, {
    USE_PROFILES: { mathMl: true },
    FORBID_ATTR: ['style', 'href', 'xlink:href', 'id'],
    RETURN_DOM_FRAGMENT: true as const,
  });
  for (const name of fragment.querySelectorAll('mi:not([mathvariant])'))
    name.classList.toggle('letter', /^.$/su.test(name.textContent ?? ''));
  return fragment;
}
