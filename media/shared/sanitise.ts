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

/** Of HTML that was made from an agent's words, what may be on the page. */
export function sanitise(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, allowed);
}

/** Of MathML that was made from an agent's formula. The page's policy forbids styles in attributes, and a formula links nowhere. */
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
