import type { HttpRequest } from '../../platform/httpMessages.ts';
import { readBody } from '../../platform/requestBody.ts';
import { OAuthRefusal } from './refusal.ts';

const MAX_BODY_BYTES = 65_536;

/** @throws {OAuthRefusal} `invalid_request` for what is no form, is too long, or repeats a parameter (RFC 6749 3.1, 3.2) */
export async function readForm(request: HttpRequest): Promise<URLSearchParams> {
  const isForm = request.headers.get('content-type')?.toLowerCase().startsWith('application/x-www-form-urlencoded');
  const text = isForm ? await readBody(request, MAX_BODY_BYTES) : undefined;
  if (text === undefined) throw new OAuthRefusal('invalid_request', 'The body must be form data no larger than 64 KB.');
  const form = new URLSearchParams(text);
  const twice = repeatedParameter(form);
  if (twice !== undefined)
    throw new OAuthRefusal('invalid_request', `The parameter '${twice}' appears more than once.`);
  return form;
}

/** The first parameter that came more than once. */
export function repeatedParameter(parameters: URLSearchParams): string | undefined {
  return [...new Set(parameters.keys())].find((it) => parameters.getAll(it).length > 1)?.slice(0, 40);
}

/** A parameter that was sent without a value counts as not sent (RFC 6749 3.1). */
export const textIn = (parameters: URLSearchParams, name: string): string | undefined =>
  parameters.get(name) || undefined;

/**
 * Whether a form comes from a page of ours. Browsers that send no `Sec-Fetch-Site` (plain http beyond this machine) send
 * `Origin` with every form.
 */
export function isFromOwnPage({ headers }: Pick<HttpRequest, 'headers'>, baseUrl: string): boolean {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const isOwn = origin !== null && origin.toLowerCase() === new URL(baseUrl).origin;
  return site === null ? isOwn : site === 'same-origin' && isOwn;
}
