import type { Finder } from './finder.ts';

/**
 * What follows a name such as password, in text that is not JSON.
 * @param pattern global; ends with the group of the value
 */
function afterName(pattern: RegExp): Finder {
  return (text) =>
    Array.from(text.matchAll(pattern), ({ 0: match, index, ...groups }) => {
      const end = index + match.length;
      return { start: end - (groups[1] ?? groups[2] ?? '').length, end };
    });
}

const names =
  '(?:token|secret|passw(?:or)?d|passphrase|credential|[-_](?:pass|pwd)|(?:api|access|private|subscription)[-_]?key)';
/** Numbers alone are counts, as of tokens. */
const notNumber = String.raw`(?!\d+(?![^\s"',;&}\]]))`;
/** Text that was put in place of a secret is none. */
const notHidden = String.raw`(?!\[(?:redacted|hidden))`;
/** To the end of the quotes, or else of the word. */
const quoted = String.raw`["'](?![\s,}\]])${notHidden}([^"'\\\r\n]{6,4096})`;
const bare = String.raw`(?!["'])${notNumber}([^\s"',;&\\[\]{}<]{6,4096})`;

/** Secrets without a form of their own, which are known by what is before them. No pattern nests repetitions. */
export const namedSecretFinders: readonly Finder[] = [
  // Up to the end of the line, as in headers.
  afterName(
    /(?:authorization|cookie)["']?[ \t]{0,3}[=:][ \t]{0,3}["']?(?!\[(?:redacted|hidden))([^\r\n"'\\[]{2,4096})/gi,
  ),
  // An assignment, a line of YAML, or an element of XML.
  afterName(new RegExp(String.raw`${names}["']?[ \t]{0,3}(?:=>|[=:>])[ \t]{0,3}(?:${quoted}|${bare})`, 'gi')),
  // An option of a command.
  afterName(
    new RegExp(String.raw`--[\w-]{0,32}?${names}[ \t]{1,3}["']?(?!-)${notNumber}${notHidden}([^\s"'\\]{6,4096})`, 'gi'),
  ),
  afterName(/(?<=\s)(?:-u|--user)[ \t]{0,3}["']?[^\s:"'\\[]{1,128}:(?!\d+(?![^\s"'\\]))([^\s"'\\[]{6,4096})/g),
  // Parameters and credentials of a URL.
  afterName(/[?&](?:key|sig|x-(?:amz|goog)-signature|signature|code|auth)=(?!\[)([^\s"'&#\\<>]{6,4096})/gi),
  afterName(/:\/\/(?!\[)([^\s/?#@:"'\\<>]{16,512}|:[^\s/?#@"'\\<>]{1,512})(?=@)/g),
  // Names of schemes have no case (RFC 9110, 11.1). Words of prose have no digits.
  afterName(/\b(?:bearer|basic)[ \t]{1,3}(?=[\w.~+/=-]{0,512}?\d)([\w.~+/=-]{16,4096})/gi),
  // Tokens of GitLab, npm, Hugging Face, Stripe, and SendGrid.
  afterName(
    /(?<![A-Za-z0-9])(glpat-[\w-]{20,256}|npm_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{30,256}|rk_(?:live|test)_[A-Za-z0-9]{16,256}|SG\.[\w-]{16,64}\.[\w-]{16,128})/g,
  ),
];
